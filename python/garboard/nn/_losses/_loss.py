"""What losses share as modules: how many losses become one, and how much each counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.nn.functional._reduction import reduction_by
from garboard.nn.module import Module

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = ["Loss", "WeightedLoss"]


class Loss(Module):
    """Base of losses: `reduction`, as it is given or as PyTorch's older options say it."""

    _reductions: ClassVar[tuple[str, ...]] = ("mean", "sum", "none")
    if TYPE_CHECKING:
        reduction: Reduction

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__()
        name = type(self).__name__
        told = reduction_by(name, size_average, reduce, reduction)
        self.reduction = check.choice(name, "reduction", told, *self._reductions)


class WeightedLoss(Loss):
    """Base of losses of which some count more: `weight`, a buffer."""

    if TYPE_CHECKING:
        weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


# Programs ask an object for these, and know no names of ours.
Loss.__annotations__ = {"reduction": str}
