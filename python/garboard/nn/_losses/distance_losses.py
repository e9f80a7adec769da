"""Losses of distances between things that are alike, or are not, as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn._losses._loss import Loss
from garboard.nn._places.slices import PairwiseDistance

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = [
    "CosineEmbeddingLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


def _above_zero(op: str, margin: Any) -> float:
    number: float = check.real(op, "margin", margin)
    if number <= 0:
        raise ArgumentError(f"{op}: margin {shown(margin)}; a number above 0 is needed")
    return number


class MarginRankingLoss(Loss):
    """Compute max(0, -target * (input1 - input2) + margin).

    What it computes is told by `nn.functional.margin_ranking_loss`.

    Args:
        margin: How far apart they should be.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.MarginRankingLoss()(gb.ones(1), gb.zeros(1), -gb.ones(1))
    tensor(1.)
    """

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin: float = check.real("MarginRankingLoss", "margin", margin)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return functional.margin_ranking_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )

    if TYPE_CHECKING:

        def __call__(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor: ...


class HingeEmbeddingLoss(Loss):
    """Compute the input where the target is 1, and max(0, margin - input) where it is -1.

    What it computes is told by `nn.functional.hinge_embedding_loss`.

    Args:
        margin: How far apart they should be.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.HingeEmbeddingLoss()(gb.ones(1), gb.ones(1))
    tensor(1.)
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin: float = check.real("HingeEmbeddingLoss", "margin", margin)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.hinge_embedding_loss(
            input, target, margin=self.margin, reduction=self.reduction
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class CosineEmbeddingLoss(Loss):
    """Compute 1 - cos where the target is 1, and max(0, cos - margin) where it is -1.

    What it computes is told by `nn.functional.cosine_embedding_loss`.

    Args:
        margin: How far apart they should be.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.CosineEmbeddingLoss()(gb.ones(1, 2), gb.ones(1, 2), -gb.ones(1))
    tensor(1.0000)
    """

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin: float = check.real("CosineEmbeddingLoss", "margin", margin)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return functional.cosine_embedding_loss(
            input1, input2, target, margin=self.margin, reduction=self.reduction
        )

    if TYPE_CHECKING:

        def __call__(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor: ...


class TripletMarginLoss(Loss):
    """Compute max(0, |anchor - positive| - |anchor - negative| + margin).

    What it computes is told by `nn.functional.triplet_margin_loss`.

    Args:
        margin: How far apart they should be.
        p: The power of the norm.
        eps: Keeps what must not be 0 from it.
        swap: Take the lesser of both distances to the negative.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.TripletMarginLoss()(gb.ones(1, 2), gb.ones(1, 2), gb.ones(1, 2))
    tensor(1.)
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin: float = _above_zero("TripletMarginLoss", margin)
        self.p: float = check.real("TripletMarginLoss", "p", p)
        self.eps: float = check.rate("TripletMarginLoss", "eps", eps)
        self.swap: bool = check.flag("TripletMarginLoss", "swap", swap)

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return functional.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )

    if TYPE_CHECKING:

        def __call__(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor: ...


class TripletMarginWithDistanceLoss(Loss):
    """Compute max(0, d(anchor, positive) - d(anchor, negative) + margin).

    What it computes is told by `nn.functional.triplet_margin_with_distance_loss`.

    Args:
        distance_function: Of two tensors; `pairwise_distance` by default.
        margin: How far apart they should be.
        swap: Take the lesser of both distances to the negative.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.TripletMarginWithDistanceLoss()(gb.ones(1, 2), gb.ones(1, 2), gb.ones(1, 2))
    tensor(1.)
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        if distance_function is not None:
            check.function("TripletMarginWithDistanceLoss", "distance_function", distance_function)
        self.distance_function: Callable[[Tensor, Tensor], Tensor] = (
            PairwiseDistance() if distance_function is None else distance_function
        )
        self.margin: float = _above_zero("TripletMarginWithDistanceLoss", margin)
        self.swap: bool = check.flag("TripletMarginWithDistanceLoss", "swap", swap)

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return functional.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )

    if TYPE_CHECKING:

        def __call__(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor: ...
