"""Losses of sequences, as modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn._losses._loss import Loss

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = ["CTCLoss"]

_Lengths = Tensor | Sequence[int]


class CTCLoss(Loss):
    """Compute how unlikely labels are whose places in a sequence nobody knows.

    What it computes is told by `nn.functional.ctc_loss`.

    Args:
        blank: The class that is no label.
        reduction: "mean" of the losses, each divided by how many labels there are; "sum", or "none"
            for one loss a sample.
        zero_infinity: Make losses 0, and their gradients, that are infinite.

    Raises:
        ValueError: Another reduction.
        TypeError: A setting of a wrong type.
        ShapeError: When called, sizes that do not fit.
        IndexOutOfRangeError: When called, a label, or `blank`, that is no class.

    >>> log_probs = gb.randn(50, 16, 20).log_softmax(2)  # steps, samples, classes
    >>> targets = gb.randint(1, 20, (16, 30))
    >>> steps, labels = (50,) * 16, (30,) * 16
    >>> gb.nn.CTCLoss()(log_probs, targets, steps, labels).ndim
    0
    """

    def __init__(
        self, blank: int = 0, reduction: Reduction = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction=reduction)
        self.blank: int = check.integer("CTCLoss", "blank", blank)
        self.zero_infinity: bool = check.flag("CTCLoss", "zero_infinity", zero_infinity)

    def forward(
        self,
        log_probs: Tensor,
        targets: Tensor,
        input_lengths: _Lengths,
        target_lengths: _Lengths,
    ) -> Tensor:
        return functional.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )

    if TYPE_CHECKING:

        def __call__(
            self,
            log_probs: Tensor,
            targets: Tensor,
            input_lengths: _Lengths,
            target_lengths: _Lengths,
        ) -> Tensor: ...
