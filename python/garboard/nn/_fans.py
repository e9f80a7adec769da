"""Of how many numbers a weight makes one, forward and backward."""

from __future__ import annotations

from math import prod, sqrt

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor

__all__ = ["fan_of", "fans_of", "xavier_deviation"]


def fans_of(op: str, tensor: Tensor) -> tuple[int, int]:
    """Of a tensor [out, in, ...]: in and out, times the product of the other sizes."""
    if check.tensor(op, "tensor", tensor).ndim < 2:
        raise ShapeError(f"{op}: a tensor of sizes {list(tensor.shape)}; 2 or more dims are needed")
    field = prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def fan_of(op: str, tensor: Tensor, mode: str) -> int:
    """That of them which `mode` names."""
    fans = dict(zip(("fan_in", "fan_out"), fans_of(op, tensor), strict=True))
    return fans[check.choice(op, "mode", mode, *fans)]


def xavier_deviation(op: str, tensor: Tensor, gain: float) -> float:
    """The deviation with which sums forward and backward spread as little as what they add up."""
    widened: float = check.worth(op, "gain", gain)
    return widened * sqrt(2 / max(sum(fans_of(op, tensor)), 1))  # no fan: nothing to draw


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return both fans of a weight."""
    return fans_of("_calculate_fan_in_and_fan_out", tensor)


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """Return the fan of a weight that `mode` names, in letters of any case."""
    op = "_calculate_correct_fan"
    return fan_of(op, tensor, check.text(op, "mode", mode).lower())
