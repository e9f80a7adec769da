"""What losses share: their sizes, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar
from warnings import warn

from garboard._arguments import check
from garboard._arguments.callers import level_of_caller
from garboard._engine import ShapeError, Tensor

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = ["check_equal", "check_pair", "chosen", "reduced", "reduction_by", "weighed"]

_Given = TypeVar("_Given", bound=str)


def reduction_by(
    op: str, size_average: bool | None, reduce: bool | None, reduction: _Given
) -> _Given | Literal["mean", "sum", "none"]:
    """The reduction, or what PyTorch's older options ask for where one of them is given."""
    if size_average is None and reduce is None:
        return reduction
    is_mean = size_average is None or check.flag(op, "size_average", size_average)
    is_one = reduce is None or check.flag(op, "reduce", reduce)
    return ("mean" if is_mean else "sum") if is_one else "none"


def chosen(op: str, reduction: Reduction) -> Reduction:
    """Check a reduction's name."""
    return check.choice(op, "reduction", reduction, "mean", "sum", "none")


def reduced(op: str, losses: Tensor, reduction: Reduction) -> Tensor:
    """The losses themselves, their mean, or their sum."""
    reduction = chosen(op, reduction)
    if reduction == "none":
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()


def check_pair(op: str, input: Tensor, target: Tensor) -> None:
    """Check two tensors of elements; sizes that broadcast are nearly always a mistake."""
    check.tensors_that_meet(op, input=input, target=target)
    if input.shape != target.shape:
        warn(
            f"{op}: sizes {list(input.shape)} of the input and {list(target.shape)} of the target "
            "differ, and are broadcast; make them equal",
            stacklevel=level_of_caller(),
        )


def check_equal(op: str, input: Tensor, target: Tensor) -> None:
    check.tensor(op, "input", input)
    check.tensor(op, "target", target)
    if input.shape != target.shape:
        raise ShapeError(
            f"{op}: sizes {list(input.shape)} of the input and {list(target.shape)} of the target; "
            "they must be equal"
        )


def weighed(op: str, losses: Tensor, weight: Tensor | None) -> Tensor:
    return losses if weight is None else losses * check.tensor(op, "weight", weight)
