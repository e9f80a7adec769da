"""Losses of classes and of numbers, as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn._losses._loss import Loss, WeightedLoss

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "NLLLoss2d",
    "SmoothL1Loss",
]


class CrossEntropyLoss(WeightedLoss):
    """Compute -log softmax(input)[target] of logits [rows, classes, ...].

    What it computes is told by `nn.functional.cross_entropy`.

    Args:
        weight: How much each counts; kept as a buffer.
        size_average: PyTorch's older way to say it: False asks for the sum.
        ignore_index: A class that counts for nothing.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.
        label_smoothing: What part of each target is spread evenly over all classes.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> round(gb.nn.CrossEntropyLoss()(gb.zeros(2, 4), gb.tensor([0, 3])).item(), 4)  # ln 4
    1.3863
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index: int = check.integer("CrossEntropyLoss", "ignore_index", ignore_index)
        self.label_smoothing: float = check.share(
            "CrossEntropyLoss", "label_smoothing", label_smoothing
        )

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class NLLLoss(WeightedLoss):
    """Compute -input[target] from logarithms of probabilities [rows, classes, ...] and classes.

    What it computes is told by `nn.functional.nll_loss`.

    Args:
        weight: How much each counts; kept as a buffer.
        size_average: PyTorch's older way to say it: False asks for the sum.
        ignore_index: A class that counts for nothing.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.NLLLoss()(gb.tensor([[-1.0, -2.0]]), gb.tensor([1]))
    tensor(2.)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index: int = check.integer("NLLLoss", "ignore_index", ignore_index)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.nll_loss(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class NLLLoss2d(NLLLoss):
    """Compute `NLLLoss` of images: an older name of it.

    >>> loss = gb.nn.NLLLoss2d()
    >>> loss(gb.full((1, 2, 1, 1), -2.0), gb.tensor([[[1]]]))
    tensor(2.)
    """


class MSELoss(Loss):
    """Compute (input - target)^2.

    What it computes is told by `nn.functional.mse_loss`.

    Args:
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.MSELoss()(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 4.0]))
    tensor(2.)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.mse_loss(input, target, reduction=self.reduction)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class L1Loss(Loss):
    """Compute |input - target|.

    What it computes is told by `nn.functional.l1_loss`.

    Args:
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.L1Loss()(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 4.0]))
    tensor(1.)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.l1_loss(input, target, reduction=self.reduction)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class SmoothL1Loss(Loss):
    """Compute the distance, squared where it is below `beta`.

    What it computes is told by `nn.functional.smooth_l1_loss`.

    Args:
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.
        beta: Where the square ends; 0 is `L1Loss`.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.SmoothL1Loss()(gb.tensor([3.0]), gb.zeros(1))
    tensor(2.5000)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta: float = check.rate("SmoothL1Loss", "beta", beta)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class HuberLoss(Loss):
    """Compute half the square of the distance, and a line beyond `delta`.

    What it computes is told by `nn.functional.huber_loss`.

    Args:
        reduction: "mean", "sum", or "none" for one loss each.
        delta: Where the line begins; positive.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.HuberLoss()(gb.tensor([3.0]), gb.zeros(1))
    tensor(2.5000)
    """

    def __init__(
        self,
        reduction: Reduction = "mean",
        delta: float = 1.0,
    ) -> None:
        super().__init__(reduction=reduction)
        self.delta: float = check.rate("HuberLoss", "delta", delta)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.huber_loss(input, target, reduction=self.reduction, delta=self.delta)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class BCELoss(WeightedLoss):
    """Compute the cross entropy of probabilities and targets in [0, 1].

    What it computes is told by `nn.functional.binary_cross_entropy`.

    Args:
        weight: How much each counts; kept as a buffer.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.BCELoss()(gb.tensor([0.5]), gb.tensor([1.0]))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.binary_cross_entropy(
            input, target, weight=self.weight, reduction=self.reduction
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class BCEWithLogitsLoss(WeightedLoss):
    """Compute the cross entropy of the sigmoid of logits and targets in [0, 1].

    What it computes is told by `nn.functional.binary_cross_entropy_with_logits`.

    Args:
        weight: How much each counts; kept as a buffer.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.
        pos_weight: How much targets of 1 count; kept as a buffer.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.BCEWithLogitsLoss()(gb.zeros(2), gb.ones(2))
    tensor(0.6931)
    """

    if TYPE_CHECKING:
        weight: Tensor | None
        pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.binary_cross_entropy_with_logits(
            input, target, weight=self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class KLDivLoss(Loss):
    """Compute how far the input, in logarithms, is from the target.

    What it computes is told by `nn.functional.kl_div`.

    Args:
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "batchmean", "mean" over all elements, "sum", or "none".
        log_target: The target is given in logarithms, too.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.KLDivLoss(reduction="batchmean")(gb.zeros(1, 2), gb.ones(1, 2))
    tensor(0.)
    """

    _reductions = ("mean", "sum", "none", "batchmean")
    if TYPE_CHECKING:
        reduction: Literal["mean", "sum", "none", "batchmean"]  # type: ignore[assignment]

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Literal["mean", "sum", "none", "batchmean"] = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)  # type: ignore[arg-type]
        self.log_target: bool = check.flag("KLDivLoss", "log_target", log_target)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.kl_div(
            input, target, reduction=self.reduction, log_target=self.log_target
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...
