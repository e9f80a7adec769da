"""Losses as modules."""

from __future__ import annotations

from garboard._engine import Tensor, cross_entropy, mse_loss
from garboard.nn.module import Module

__all__ = ["CrossEntropyLoss", "MSELoss"]


class CrossEntropyLoss(Module):
    """Compute -log softmax(input)[target] from logits [rows, classes] and int64 targets [rows].

    Args:
        ignore_index: Rows with this target count for nothing.
        reduction: "mean" over the rows that count, "sum", or "none" for one loss a row.

    >>> import garboard as gb
    >>> loss = gb.nn.CrossEntropyLoss()
    >>> round(loss(gb.zeros(2, 4), gb.tensor([0, 3])).item(), 4)  # ln 4
    1.3863
    """

    def __init__(self, *, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__()
        self.ignore_index, self.reduction = ignore_index, reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return cross_entropy(
            input, target, ignore_index=self.ignore_index, reduction=self.reduction
        )


class MSELoss(Module):
    """Compute (input - target)^2 of two tensors of the same sizes.

    Args:
        reduction: "mean", "sum", or "none" for one loss an element.
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return mse_loss(input, target, reduction=self.reduction)
