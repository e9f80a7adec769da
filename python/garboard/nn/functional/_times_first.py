"""Convolution of sequences whose times come first."""

from __future__ import annotations

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor, conv1d

__all__ = ["conv_tbc"]


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolve along the first dim: [times, rows, channels], weights [taps, channels, new ones]."""
    check.tensor("conv_tbc", "input", input)
    check.tensor("conv_tbc", "weight", weight)
    if input.ndim != 3 or weight.ndim != 3:
        raise ShapeError(
            f"conv_tbc: input of sizes {[*input.shape]}, weight of {[*weight.shape]}; three dims "
            "of each are needed"
        )
    rows = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return rows.permute(2, 0, 1)
