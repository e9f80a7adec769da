"""Losses of classes, and the mean square."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._contexts.autocasting import count_of_blocks, in_float32
from garboard._engine import ShapeError, Tensor
from garboard.nn.functional._reduction import check_pair, reduced, reduction_by, weighed

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = ["cross_entropy", "mse_loss", "nll_loss"]


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Compute -log softmax(input)[target] from logits.

    Args:
        input: Logits [classes], [rows, classes] or [rows, classes, d1, ...], of a floating dtype.
        target: Classes, int64, of the input's sizes without the classes; or a probability of each
            class, of the input's sizes and dtype.
        weight: [classes]: how much each class counts. It gets a gradient with
            probabilities, and none with classes.
        size_average: PyTorch's older way to say it: False asks for the sum.
        ignore_index: A class that counts for nothing; probabilities have none.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean" over what counts, as often as its weight says; over all rows where
            probabilities are given. "sum", or "none" for one loss each.
        label_smoothing: What part of each target is spread evenly over all classes, 0 to 1.

    Returns:
        A new tensor: without dims, or of the target's sizes without classes.

    Raises:
        ShapeError: Sizes that do not fit.
        IndexOutOfRangeError: A target that is neither a class nor `ignore_index`.
        DTypeError: A dtype that is not one of these.
        ValueError: Another reduction, or a label_smoothing out of range.
        DisposedError: A tensor is disposed.

    >>> round(gb.nn.functional.cross_entropy(gb.zeros(2, 4), gb.tensor([0, 3])).item(), 4)  # ln 4
    1.3863
    """
    op = "cross_entropy"
    if size_average is not None or reduce is not None:
        reduction = reduction_by(op, size_average, reduce, reduction)
    check.tensor(op, "input", input)
    check.tensor(op, "target", target)
    if target.is_floating_point() and input.ndim > 0 and target.shape == input.shape:
        if (ignored := check.integer(op, "ignore_index", ignore_index)) >= 0:
            raise ArgumentError(f"{op}: ignore_index {ignored} of probabilities; classes have one")
        return _of_probabilities(input, target, weight, reduction, label_smoothing)
    if input.ndim == 2:
        return _engine.cross_entropy(
            input,
            target,
            weight,
            ignore_index=ignore_index,
            reduction=reduction,
            label_smoothing=label_smoothing,
        )
    rows, classes = _rows_of_classes(op, input, target)
    losses = _engine.cross_entropy(
        rows,
        classes,
        weight,
        ignore_index=ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )
    return losses.reshape(target.shape) if reduction == "none" else losses


def _rows_of_classes(op: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Logits as [rows, classes] or [samples, classes, places], and targets of the rest of it."""
    needed = [*input.shape[:1], *input.shape[2:]] if input.ndim > 1 else []
    if input.ndim == 0 or list(target.shape) != needed:
        raise ShapeError(
            f"{op}: a target of sizes {list(target.shape)} for an input of sizes "
            f"{list(input.shape)}; {needed} are needed, or the input's"
        )
    if input.ndim == 1:
        return input.unsqueeze(0), target.unsqueeze(0)
    return (input, target) if input.ndim == 2 else (input.flatten(2), target.flatten(1))


def _of_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: Reduction, smoothing: float
) -> Tensor:
    dim = 1 if input.ndim > 1 else 0
    count = input.shape[dim]
    share = check.share("cross_entropy", "label_smoothing", smoothing)
    if share:
        target = target * (1 - share) + share / max(count, 1)
    logs = _engine.log_softmax(input, dim)
    if weight is not None:
        shape = [1] * input.ndim
        shape[dim] = count
        logs = logs * check.tensor("cross_entropy", "weight", weight).reshape(shape)
    losses = -(logs * target).sum(dim)
    return reduced("cross_entropy", losses, reduction)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute -input[target] from logarithms of probabilities, as `log_softmax` gives them.

    Args:
        input: [classes], [rows, classes] or [rows, classes, d1, ...], of a floating dtype.
        target: Classes, int64, of the input's sizes without the classes.
        weight: [classes]: how much each class counts.
        size_average: PyTorch's older way to say it: False asks for the sum.
        ignore_index: A class that counts for nothing.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean" over what counts, as often as its weight says; "sum", or "none".

    Returns:
        A new tensor: without dims, or of the target's sizes. Until backward the graph keeps the
        target and the weight alone.

    Raises:
        ShapeError: Sizes that do not fit.
        IndexOutOfRangeError: A target that is neither a class nor `ignore_index`.
        DTypeError: A target that is neither int64 nor int32, or a weight of another dtype than the
            input's.
        ValueError: Another reduction.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.nll_loss(gb.tensor([[-1.0, -2.0]]), gb.tensor([1]))
    tensor(2.)
    """
    reduction = reduction_by("nll_loss", size_average, reduce, reduction)
    if count_of_blocks():
        input, target, weight = in_float32(input, target, weight)
    op = "nll_loss"
    check.tensor(op, "input", input)
    if check.tensor(op, "target", target).dtype in (_engine.uint8, _engine.int32):
        target = target.long()
    if input.ndim == 2:
        return _engine.nll_loss(
            input, target, weight, ignore_index=ignore_index, reduction=reduction
        )
    rows, classes = _rows_of_classes(op, input, target)
    losses = _engine.nll_loss(rows, classes, weight, ignore_index=ignore_index, reduction=reduction)
    return losses.reshape(target.shape) if reduction == "none" else losses


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Compute (input - target)^2.

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of the same sizes; others that broadcast are taken with a warning.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss an element.
        weight: How much each element counts; the mean is over the weights.

    Returns:
        A new tensor. Until backward the graph keeps the difference.

    Raises:
        ShapeError: The sizes do not broadcast.
        ValueError: Another reduction.
        DTypeError: Neither is floating.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.mse_loss(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 4.0]))
    tensor(2.)
    """
    reduction = reduction_by("mse_loss", size_average, reduce, reduction)
    check_pair("mse_loss", input, target)
    if weight is None and input.shape == target.shape:
        return _engine.mse_loss(input, target, reduction=reduction)
    losses = (input - target).square()
    if weight is None:
        return reduced("mse_loss", losses, reduction)
    losses = weighed("mse_loss", losses, weight)
    if reduction == "mean":
        return losses.sum() / weight.expand(losses.shape).sum()
    return reduced("mse_loss", losses, reduction)


all_overridable(globals())
