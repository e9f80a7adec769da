"""The cross entropy of what a linear layer gives, by parts of the rows where that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import DTypeError, ShapeError, Tensor, linear
from garboard.autograd import grad
from garboard.autograd.function import Function
from garboard.nn.functional._losses import cross_entropy
from garboard.nn.functional._reduction import chosen

if TYPE_CHECKING:
    from collections.abc import Callable

    from garboard.types import Reduction

__all__ = ["LinearCrossEntropyOptions", "linear_cross_entropy"]

_NAME = "LinearCrossEntropyOptions"


@dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Say how many rows of logits `linear_cross_entropy` makes at once.

    Each part's logits are made again in backward and kept by nobody, so that only those of one part
    are in memory. That pays where there are more classes than features, as in language models.

    Args:
        allow_retain_graph: Either: backward may run twice in any case, and be differentiated.
        batch_chunk_size: How many rows a part has; None has `chunking_method` find it.
        chunking_method: "auto" or "aspect_ratio": parts whose logits are about as large as the
            input; "aspect_ratio:n": those by n. None: as `batch_chunk_size` says, or one part.
        acc_policy: "auto", "accurate" or "compact": the same here.
        acc_dtype: A floating dtype or None: the input's counts, and sums of half types are float32.

    Raises:
        ValueError: Another policy or method, or a `batch_chunk_size` below 1.
        DTypeError: `acc_dtype` is no floating dtype.
        TypeError: A setting of a wrong type.

    >>> gb.nn.LinearCrossEntropyOptions(batch_chunk_size=64).batch_chunk_size
    64
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: _engine.dtype | None = None

    def __post_init__(self) -> None:
        check.flag(_NAME, "allow_retain_graph", self.allow_retain_graph)
        check.choice(_NAME, "acc_policy", self.acc_policy, "auto", "accurate", "compact")
        if self.batch_chunk_size is not None:
            check.count(_NAME, "batch_chunk_size", self.batch_chunk_size, least=1)
        if self.chunking_method is not None:
            self._divisor()
        if self.acc_dtype is not None:
            dtype = check.of_type(_engine.dtype, _NAME, "acc_dtype", self.acc_dtype)
            if not dtype.is_floating_point:
                raise DTypeError(f"{_NAME}: acc_dtype {dtype}; a floating one is needed")

    def _divisor(self) -> int:
        method = check.text(_NAME, "chunking_method", self.chunking_method)
        name, colon, factor = ("aspect_ratio:1" if method == "auto" else method).partition(":")
        factor = factor if colon else "1"
        is_good = name == "aspect_ratio" and factor.isascii() and factor.isdigit()
        if not is_good or len(factor) > 9 or int(factor) < 1:
            raise ArgumentError(
                f"{_NAME}: chunking_method {shown(method)}; 'auto', 'aspect_ratio' or, for parts "
                "of a half, 'aspect_ratio:2' is needed"
            )
        return int(factor)

    def _rows(self, rows: int, features: int, classes: int) -> int:
        """How many rows a part has."""
        if self.batch_chunk_size is not None:
            return min(self.batch_chunk_size, max(rows, 1))
        if self.chunking_method is None:
            return max(rows, 1)
        least = -(-rows // max(-(-classes // max(features, 1)), 1))
        return max(min((1 << max(least - 1, 0).bit_length()) // self._divisor(), rows), 1)


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    """Compute the cross entropy of the logits `input @ linear_weight.T + linear_bias`.

    Args:
        input: [features] or [rows, features], of a floating dtype.
        linear_weight: [classes, features], or [classes, d1, ..., features] for rows that have a
            class at each of several places.
        target: Classes, int64, [] or [rows] or [rows, d1, ...]; or a probability of each class, of
            the logits' sizes [rows, classes, d1, ...] and the input's dtype.
        linear_bias: [classes], or [classes, d1, ...].
        weight: [classes]: how much each class counts. It gets a gradient with
            probabilities and without options, and else none.
        reduction: "mean" over what counts, "sum", or "none" for one loss each.
        ignore_index: A class that counts for nothing, -100 by default; probabilities have none.
        label_smoothing: What part of each target is spread evenly over all classes, 0 to 1.
        options: Makes logits by parts of the rows, twice each, for less memory; without them all at
            once, and the graph keeps what `cross_entropy` keeps.

    Returns:
        A new tensor: without dims, or of the target's sizes without classes.

    Raises:
        ShapeError: Sizes that do not fit.
        IndexOutOfRangeError: A target that is neither a class nor `ignore_index`.
        DTypeError: A dtype that is not one of these.
        ValueError: An option out of range, or an `ignore_index` for probabilities.
        TypeError: An argument of a wrong type.
        DisposedError: A tensor is disposed.

    >>> x, weight = gb.zeros(2, 3), gb.zeros(4, 3)
    >>> loss = gb.nn.functional.linear_cross_entropy(x, weight, gb.tensor([0, 3]))
    >>> round(loss.item(), 4)  # ln 4
    1.3863
    """
    op = "linear_cross_entropy"
    classes, places = _checked(op, input, linear_weight, linear_bias)
    check.tensor(op, "target", target)
    if options is not None:
        check.of_type(LinearCrossEntropyOptions, op, "options", options)
    sizes = (*input.shape[:-1], classes, *places)
    of_probabilities = tuple(target.shape) == sizes and target.is_floating_point()
    if of_probabilities and ignore_index is not None:
        raise ArgumentError(f"{op}: ignore_index with probabilities; leave it out")
    ignored = -100 if ignore_index is None else check.integer(op, "ignore_index", ignore_index)
    matrix, bias = linear_weight, linear_bias
    if places:
        matrix = linear_weight.reshape(prod(places, start=classes), input.shape[-1])
        bias = None if linear_bias is None else linear_bias.reshape(-1)

    settings = {"weight": weight, "ignore_index": ignored, "label_smoothing": label_smoothing}
    loss = partial(_of_rows, (classes, *places), settings)
    count = input.shape[0]
    step = count
    if options is not None and input.ndim == 2:
        step = options._rows(count, input.shape[1], prod(places, start=classes))
    if step >= count or input.ndim < 2 or target.ndim == 0 or target.shape[0] != count:
        return loss(reduction, input, matrix, bias, target)
    is_each = chosen(op, reduction) == "none"
    again = partial(loss, "none" if is_each else "sum")
    pairs = zip(input.split(step), target.split(step), strict=True)
    parts: list[Tensor] = [_Part.apply(again, rows, matrix, bias, goals) for rows, goals in pairs]
    if is_each:
        return _engine.cat(parts)
    total = _engine.stack(parts).sum()
    if reduction == "sum":
        return total
    if of_probabilities:
        return total / (target.numel() // max(classes, 1))
    counts = target != ignored
    if weight is None:
        return total / counts.sum()
    return total / weight.detach()[target[counts]].sum()


def _of_rows(
    sizes: tuple[int, ...],
    settings: dict[str, Any],
    reduction: Reduction,
    rows: Tensor,
    matrix: Tensor,
    bias: Tensor | None,
    goals: Tensor,
) -> Tensor:
    logits = linear(rows, matrix, bias).reshape(*rows.shape[:-1], *sizes)
    return cross_entropy(logits, goals, reduction=reduction, **settings)


class _Part(Function):
    """The losses of some rows, whose logits nobody keeps: backward makes them again."""

    @staticmethod
    def forward(ctx: Any, loss: Callable[..., Tensor], *given: Tensor | None) -> Any:
        ctx.loss = loss
        ctx.save_for_backward(*given)
        return loss(*given)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        given = list(ctx.saved_tensors)
        asked = [at for at, needed in enumerate(ctx.needs_input_grad[1:]) if needed]
        is_recorded = _engine.is_grad_enabled()
        if not is_recorded:  # or the pass would go on into the graph that it comes from
            for at in asked:
                given[at] = given[at].detach().requires_grad_()
        with enable_grad():
            made = ctx.loss(*given)
        wanted = [given[at] for at in asked]
        leading = grad(made, wanted, gradients[0], create_graph=is_recorded)
        found: list[Tensor | None] = [None] * (1 + len(given))
        for at, one in zip(asked, leading, strict=True):
            found[1 + at] = one
        return tuple(found)


def _checked(
    op: str, input: Tensor, matrix: Tensor, bias: Tensor | None
) -> tuple[int, tuple[int, ...]]:
    """How many classes there are, and the sizes of the places that have one each."""
    check.tensor(op, "input", input)
    check.tensor(op, "linear_weight", matrix)
    if input.ndim not in (1, 2):
        raise ShapeError(
            f"{op}: an input of sizes {list(input.shape)}; [features] or [rows, features] is needed"
        )
    if matrix.ndim < 2 or matrix.shape[-1] != input.shape[-1]:
        raise ShapeError(
            f"{op}: a linear_weight of sizes {list(matrix.shape)} for an input of sizes "
            f"{list(input.shape)}; [classes, {input.shape[-1]}] is needed"
        )
    classes, *places = matrix.shape[:-1]
    if places and input.ndim == 1:
        raise ShapeError(
            f"{op}: a linear_weight of sizes {list(matrix.shape)} for one row; an input of sizes "
            f"[rows, {input.shape[-1]}] is needed"
        )
    if bias is not None:
        check.tensor(op, "linear_bias", bias)
        if bias.shape != matrix.shape[:-1]:
            raise ShapeError(
                f"{op}: a linear_bias of sizes {list(bias.shape)}; {[classes, *places]} are needed"
            )
    return classes, tuple(places)


all_overridable(globals())
