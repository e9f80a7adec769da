"""Losses of margins and distributions, as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn._losses._loss import Loss, WeightedLoss

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = [
    "GaussianNLLLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "PoissonNLLLoss",
    "SoftMarginLoss",
]


class PoissonNLLLoss(Loss):
    """Compute the loss of counts that the input is the rate of.

    What it computes is told by `nn.functional.poisson_nll_loss`.

    Args:
        log_input: The input is the logarithm of the rate.
        full: Add what does not depend on the input.
        size_average: PyTorch's older way to say it: False asks for the sum.
        eps: Keeps what must not be 0 from it.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.PoissonNLLLoss()(gb.zeros(1), gb.ones(1))
    tensor(1.)
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input: bool = check.flag("PoissonNLLLoss", "log_input", log_input)
        self.full: bool = check.flag("PoissonNLLLoss", "full", full)
        self.eps: float = check.rate("PoissonNLLLoss", "eps", eps)

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return functional.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )

    if TYPE_CHECKING:

        def __call__(self, log_input: Tensor, target: Tensor) -> Tensor: ...


class GaussianNLLLoss(Loss):
    """Compute the loss of numbers that were drawn around the input with variance `var`.

    What it computes is told by `nn.functional.gaussian_nll_loss`.

    Args:
        full: Add what does not depend on the input.
        eps: Keeps what must not be 0 from it.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.GaussianNLLLoss()(gb.zeros(1), gb.ones(1), gb.ones(1))
    tensor(0.5000)
    """

    def __init__(
        self,
        *,
        full: bool = False,
        eps: float = 1e-6,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        self.full: bool = check.flag("GaussianNLLLoss", "full", full)
        self.eps: float = check.rate("GaussianNLLLoss", "eps", eps)

    def forward(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor:
        return functional.gaussian_nll_loss(
            input, target, var, full=self.full, eps=self.eps, reduction=self.reduction
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor: ...


class SoftMarginLoss(Loss):
    """Compute ln(1 + e^(-target * input)) of targets that are 1 or -1.

    What it computes is told by `nn.functional.soft_margin_loss`.

    Args:
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.SoftMarginLoss()(gb.zeros(1), gb.ones(1))
    tensor(0.6931)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.soft_margin_loss(input, target, reduction=self.reduction)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class MultiLabelSoftMarginLoss(WeightedLoss):
    """Compute the mean over classes of the cross entropy of each sigmoid.

    What it computes is told by `nn.functional.multilabel_soft_margin_loss`.

    Args:
        weight: How much each counts; kept as a buffer.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.MultiLabelSoftMarginLoss()(gb.zeros(1, 2), gb.ones(1, 2))
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
        return functional.multilabel_soft_margin_loss(
            input, target, weight=self.weight, reduction=self.reduction
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class MultiLabelMarginLoss(Loss):
    """Compute the mean over pairs of max(0, 1 - input[target] + input[other]).

    What it computes is told by `nn.functional.multilabel_margin_loss`.

    Args:
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.MultiLabelMarginLoss()(gb.zeros(1, 2), gb.tensor([[0, -1]]))
    tensor(0.5000)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.multilabel_margin_loss(input, target, reduction=self.reduction)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class MultiMarginLoss(WeightedLoss):
    """Compute the mean over classes of max(0, margin - input[target] + input[class])^p.

    What it computes is told by `nn.functional.multi_margin_loss`.

    Args:
        p: The power of the norm.
        margin: How far apart they should be.
        weight: How much each counts; kept as a buffer.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss each.

    Raises:
        ValueError: Another reduction, or an option out of range.
        TypeError: An option of another type.
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.MultiMarginLoss()(gb.zeros(1, 2), gb.tensor([0]))
    tensor(0.5000)
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.p: int = check.integer("MultiMarginLoss", "p", p)
        self.margin: float = check.real("MultiMarginLoss", "margin", margin)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.multi_margin_loss(
            input,
            target,
            p=self.p,
            margin=self.margin,
            weight=self.weight,
            reduction=self.reduction,
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...
