"""Losses as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _check as check
from garboard._engine import Tensor, cross_entropy, mse_loss
from garboard.nn.module import Module

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = ["CrossEntropyLoss", "MSELoss"]

_REDUCTIONS = ("mean", "sum", "none")


class CrossEntropyLoss(Module):
    """Compute -log softmax(input)[target] from logits [rows, classes] and int64 targets [rows].

    With l = -log softmax(input) and e = `label_smoothing`, a row's loss is
    (1 - e) weight[target] l[target] + e / classes * sum(weight * l).

    Args:
        weight: [classes], of the logits' dtype: how much each class counts; kept as a buffer. No
            gradient passes to it.
        ignore_index: Rows with this target count for nothing.
        reduction: "mean" over the rows that count, each as often as its target's weight says;
            "sum", or "none" for one loss a row.
        label_smoothing: What part of each target is spread evenly over all classes, 0 to 1.

    Raises:
        ValueError: Another reduction, a label_smoothing out of range.
        TypeError: A weight that is no Tensor, an index or a number that is none.
        ShapeError: When called: sizes that do not fit.
        IndexOutOfRangeError: When called: a target that is neither a class nor `ignore_index`.

    >>> loss = gb.nn.CrossEntropyLoss()
    >>> round(loss(gb.zeros(2, 4), gb.tensor([0, 3])).item(), 4)  # ln 4
    1.3863
    """

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        *,
        ignore_index: int = -100,
        reduction: Reduction = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.ignore_index: int = check.integer("CrossEntropyLoss", "ignore_index", ignore_index)
        self.reduction: Reduction = check.choice(
            "CrossEntropyLoss", "reduction", reduction, *_REDUCTIONS
        )
        self.label_smoothing: float = check.share(
            "CrossEntropyLoss", "label_smoothing", label_smoothing
        )

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...


class MSELoss(Module):
    """Compute (input - target)^2 of two tensors of the same sizes.

    Backward keeps the difference.

    Args:
        reduction: "mean", "sum", or "none" for one loss an element.

    Raises:
        ValueError: Another reduction.
        ShapeError: When called, the sizes differ.
        DTypeError: When called, neither is floating.

    >>> gb.nn.MSELoss()(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 4.0]))
    tensor(2.)
    """

    def __init__(self, *, reduction: Reduction = "mean") -> None:
        super().__init__()
        self.reduction: Reduction = check.choice("MSELoss", "reduction", reduction, *_REDUCTIONS)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return mse_loss(input, target, reduction=self.reduction)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...
