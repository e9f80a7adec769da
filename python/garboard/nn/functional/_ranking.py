"""Losses of margins and distances, made of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._engine import DTypeError, ShapeError, Tensor, where
from garboard.nn.functional._reduction import reduced, reduction_by, weighed
from garboard.nn.functional._slices import cosine_similarity, pairwise_distance

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]

_Distance = Callable[[Tensor, Tensor], Tensor]


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute max(0, -target * (input1 - input2) + margin).

    A target of 1 says that `input1` should rank higher, -1 that `input2` should.

    Args:
        input1: Tensor of any shape and of a floating dtype.
        input2: Tensor of the same sizes.
        target: Tensor of 1 and -1.
        margin: How far apart they should be.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Returns:
        A new tensor: without dims, or one loss each.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.margin_ranking_loss(gb.ones(1), gb.zeros(1), -gb.ones(1))
    tensor(1.)
    """
    if count_of_blocks():
        input1, input2, target = as_listed("margin_ranking_loss", input1, input2, target)
    reduction = reduction_by("margin_ranking_loss", size_average, reduce, reduction)
    op = "margin_ranking_loss"
    check.tensors_that_meet(op, input1=input1, input2=input2)
    difference = input1 - input2
    check.tensors_that_meet(op, input=difference, target=target)
    losses = (-target * difference + margin).clamp(min=0)
    return reduced(op, losses, reduction)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute input where the target is 1, and max(0, margin - input) where it is -1.

    Where it is neither both are added up, as PyTorch does.

    `input` is a distance of two things that are alike, or are not.

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of 1 and -1, of the same sizes.
        margin: How far apart they should be.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Returns:
        A new tensor: without dims, or one loss each.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.hinge_embedding_loss(gb.ones(1), gb.ones(1))
    tensor(1.)
    """
    if count_of_blocks():
        (input,) = as_listed("hinge_embedding_loss", input)
    reduction = reduction_by("hinge_embedding_loss", size_average, reduce, reduction)
    op = "hinge_embedding_loss"
    check.tensors_that_meet(op, input=input, target=target)
    losses = where(target != -1, input, 0.0) + where(
        target != 1, (margin - input).clamp(min=0), 0.0
    )
    return reduced(op, losses, reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute 1 - cos where the target is 1, and max(0, cos - margin) where it is -1.

    cos is the cosine of the angle between the rows of both inputs.

    Args:
        input1: [rows, features] or [features], of a floating dtype.
        input2: Tensor of the same sizes.
        target: [rows] or no dims: 1 and -1.
        margin: How far apart they should be.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Returns:
        A new tensor: without dims, or one loss each.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.cosine_embedding_loss(gb.ones(1, 2), gb.ones(1, 2), -gb.ones(1))
    tensor(1.0000)
    """
    if count_of_blocks():
        input1, input2 = as_listed("cosine_embedding_loss", input1, input2)
    reduction = reduction_by("cosine_embedding_loss", size_average, reduce, reduction)
    op = "cosine_embedding_loss"
    for name, given in (("input1", input1), ("input2", input2), ("target", target)):
        check.tensor(op, name, given)
    if not target.ndim + 1 == input1.ndim == input2.ndim:
        raise ShapeError(
            f"{op}: a target of {target.ndim} dims for inputs of {input1.ndim} and {input2.ndim}; "
            "one less than both is needed"
        )
    cosine = cosine_similarity(input1, input2, dim=-1)
    losses = where(target == 1, 1 - cosine, 0.0) + where(
        target == -1, (cosine - margin).clamp(min=0), 0.0
    )
    return reduced(op, losses, reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute the mean over classes of the cross entropy of each sigmoid.

    -(target * ln sigmoid(input) + (1 - target) * ln sigmoid(-input)).

    Args:
        input: Logits [..., classes], of a floating dtype.
        target: 0 and 1, of the same sizes.
        weight: [classes]: how much each class counts.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Returns:
        A new tensor: without dims, or one loss each.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.multilabel_soft_margin_loss(gb.zeros(1, 2), gb.ones(1, 2))
    tensor(0.6931)
    """
    reduction = reduction_by("multilabel_soft_margin_loss", size_average, reduce, reduction)
    op = "multilabel_soft_margin_loss"
    check.tensor(op, "input", input)
    check.tensor(op, "target", target)
    losses = target * _engine._softplus(-input) + (1 - target) * _engine._softplus(input)
    return reduced(op, weighed(op, losses, weight).mean(-1), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute the mean over classes of max(0, margin - input[target] + input[class])^p.

    The target's own class counts for 0 (Crammer and Singer, JMLR 2, 2001).

    Args:
        input: Scores [rows, classes] or [classes], of a floating dtype.
        target: Classes, int64: [rows] or no dims.
        p: 1 or 2.
        margin: How far apart they should be.
        weight: [classes]: how much each target counts.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Returns:
        A new tensor: without dims, or one loss each.

    Raises:
        ShapeError: Sizes that do not fit.
        DTypeError: `target` is not int64.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.multi_margin_loss(gb.zeros(1, 2), gb.tensor([0]))
    tensor(0.5000)
    """
    if count_of_blocks():
        input, weight = as_listed("multi_margin_loss", input, weight)
    reduction = reduction_by("multi_margin_loss", size_average, reduce, reduction)
    op = "multi_margin_loss"
    rows = check.tensor(op, "input", input)
    if rows.ndim > 2 or 0 in rows.shape[-1:]:
        raise ShapeError(
            f"{op}: an input of sizes {list(rows.shape)}; [classes] or [rows, classes] with "
            "classes is needed"
        )
    rows = rows if rows.ndim > 1 else rows.reshape(1, -1)
    if check.integer(op, "p", p) not in (1, 2):
        raise ArgumentError(f"{op}: p is neither 1 nor 2; one of them is needed")
    numbers = _engine.arange(rows.shape[1], device=rows.device)
    if check.tensor(op, "target", target).dtype != _engine.int64:
        raise DTypeError(f"{op}: a target of {target.dtype}; int64 is needed, use long()")
    chosen = target.reshape(-1, 1) == numbers
    own = where(chosen, rows, 0.0).sum(1, keepdim=True)
    missed = (margin - own + rows).clamp(min=0)
    if p == 2:
        missed = missed.square()
    if weight is not None:
        shares = check.tensor(op, "weight", weight)
        missed = missed * where(chosen, shares, 0.0).sum(1, keepdim=True)
    losses = where(chosen, 0.0, missed).sum(1) / rows.shape[1]
    is_one = input.ndim == 1 and target.ndim == 0
    return reduced(op, losses.squeeze(0) if is_one else losses, reduction)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute the mean over pairs of max(0, 1 - input[target] + input[other]).

    A row's targets are the classes before its first -1, each as often as it is named; the others
    are all that are none.

    Args:
        input: Scores [rows, classes] or [classes], of a floating dtype.
        target: Classes, int64, of the same sizes, -1 after the last.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Returns:
        A new tensor: without dims, or one loss each.

    Raises:
        ShapeError: Sizes that do not fit.
        IndexOutOfRangeError: A target that is no class.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.multilabel_margin_loss(gb.zeros(1, 2), gb.tensor([[0, -1]]))
    tensor(0.5000)
    """
    if count_of_blocks():
        (input,) = as_listed("multilabel_margin_loss", input)
    reduction = reduction_by("multilabel_margin_loss", size_average, reduce, reduction)
    op = "multilabel_margin_loss"
    rows = check.tensor(op, "input", input)
    given = check.tensor(op, "target", target)
    if rows.shape != given.shape:
        raise ShapeError(
            f"{op}: sizes {list(rows.shape)} and {list(given.shape)}; they must be equal"
        )
    if rows.ndim > 2 or 0 in rows.shape[-1:]:
        raise ShapeError(
            f"{op}: sizes {list(rows.shape)}; [classes] or [rows, classes] with classes is needed"
        )
    if rows.ndim < 2:
        rows, given = rows.reshape(1, -1), given.reshape(1, -1)
    is_before = ((given < 0).long().cumsum(1) == 0).unsqueeze(2)
    numbers = _engine.arange(rows.shape[1], device=rows.device)
    chosen = ((given.unsqueeze(2) == numbers) & is_before).any(1)
    # A class that is named twice counts twice.
    own = rows.gather(1, given.long() * is_before.squeeze(2)).unsqueeze(2)
    other = rows.unsqueeze(1)
    pairs = is_before & ~chosen.unsqueeze(1)
    missed = where(pairs, (1 - own + other).clamp(min=0), 0.0)
    losses = missed.sum((1, 2)) / rows.shape[1]
    return reduced(op, losses if input.ndim > 1 else losses.squeeze(0), reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: _Distance | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute max(0, d(anchor, positive) - d(anchor, negative) + margin).

    d is any distance of two tensors.

    Args:
        anchor: [..., features], of a floating dtype.
        positive: What the anchor should be near to, of the same sizes.
        negative: What it should be far from.
        distance_function: d; `pairwise_distance` by default.
        margin: How far apart they should be.
        swap: Take the lesser of d(anchor, negative) and d(positive, negative).
        reduction: "mean", "sum", or "none" for one loss each.

    Returns:
        A new tensor: without dims, or one loss each.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> x = gb.ones(1, 2)
    >>> gb.nn.functional.triplet_margin_with_distance_loss(x, x, x)
    tensor(1.)
    """
    op = "triplet_margin_with_distance_loss"
    for name, one in (("anchor", anchor), ("positive", positive), ("negative", negative)):
        check.tensor(op, name, one)
    if check.real(op, "margin", margin) <= 0:
        raise ArgumentError(f"{op}: margin {shown(margin)}; a number above 0 is needed")
    given = distance_function or pairwise_distance

    def distance(x: Tensor, y: Tensor) -> Tensor:
        return check.tensor(op, "what distance_function returned", given(x, y))

    near, far = distance(anchor, positive), distance(anchor, negative)
    if check.flag(op, "swap", swap):
        far = _engine.minimum(far, distance(positive, negative))
    return reduced(op, (near - far + margin).clamp(min=0), reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute max(0, |anchor - positive| - |anchor - negative| + margin).

    Balntas et al., "Learning shallow convolutional feature descriptors with triplet losses", 2016.

    Args:
        anchor: [..., features], of a floating dtype.
        positive: What the anchor should be near to, of the same sizes.
        negative: What it should be far from.
        margin: How far apart they should be.
        p: The power of the norm.
        eps: Keeps the slope finite where two are equal.
        swap: Take the lesser of |anchor - negative| and |positive - negative|.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Returns:
        A new tensor: without dims, or one loss each.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.triplet_margin_loss(gb.ones(1, 2), gb.ones(1, 2), gb.ones(1, 2))
    tensor(1.)
    """
    if count_of_blocks():
        anchor, positive, negative = as_listed("triplet_margin_loss", anchor, positive, negative)
    reduction = reduction_by("triplet_margin_loss", size_average, reduce, reduction)

    def distance(x: Tensor, y: Tensor) -> Tensor:
        return pairwise_distance(x, y, p, eps)

    return triplet_margin_with_distance_loss(
        anchor,
        positive,
        negative,
        distance_function=distance,
        margin=margin,
        swap=swap,
        reduction=reduction,
    )


all_overridable(globals())
