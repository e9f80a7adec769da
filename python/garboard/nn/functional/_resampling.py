"""Sampling by matrices: each place is a row of weights of the elements along one dim.

For what the engine's kernel, which knows two or four neighbours of floats, does not do: the wide
filters that shrink without aliases, and bytes.
"""

from __future__ import annotations

from math import floor
from typing import Literal

from garboard import _engine
from garboard._engine import Tensor

__all__ = ["nearest_elements", "of_bytes", "smoothed", "weights"]

Elements = Literal["nearest", "nearest-exact", "linear", "cubic"]

_MOST_BITS = 15  # of a weight of bytes, its sign apart
_MOST_SHIFT = 22


def nearest_elements(
    input: Tensor, dim: int, places: int, elements: Elements, step: float
) -> Tensor:
    """The nearest elements along a dim, of any dtype."""
    numbers = _engine.arange(input.shape[dim], dtype=_engine.float64, device=input.device)
    met = _engine._resample(numbers, 0, places, elements, False, step)
    return input.index_select(dim, met.long())


def weights(
    like: Tensor, dim: int, places: int, elements: Elements, aligns: bool, step: float, wide: bool
) -> Tensor:
    """[places, elements], float64; each row adds up to 1.

    Where `wide` and a step is longer than an element, the filter spans as many more elements
    (linear: a triangle; cubic: Keys' convolution with a = -0.5), cut off at the edges.
    """
    size = like.shape[dim]
    if not wide:
        each = _engine.eye(size, dtype=_engine.float64, device=like.device)
        return _engine._resample(each, 0, places, elements, aligns, step)
    stretch = max(step, 1.0)
    reach = (2.0 if elements == "cubic" else 1.0) * stretch
    place = _engine.arange(places, dtype=_engine.float64, device=like.device).unsqueeze(1)
    at = _engine.arange(size, dtype=_engine.float64, device=like.device)
    center = (place + 0.5) * step
    first, end = ((center + side * reach + 0.5).trunc().clamp(0, size) for side in (-1, 1))
    distance = ((at + 0.5 - center) / stretch).abs()
    if elements == "linear":
        height = 1 - distance
    else:
        a = -0.5
        near = ((a + 2) * distance - (a + 3)) * distance.square() + 1
        far = ((distance - 5) * distance + 8) * distance * a - 4 * a
        height = _engine.where(distance < 1, near, _engine.where(distance < 2, far, 0.0))
    inside = (at >= first) & (at < end) & (distance < reach)
    height = _engine.where(inside, height.clamp(min=0) if elements == "linear" else height, 0.0)
    return height / height.sum(1, keepdim=True)


def smoothed(input: Tensor, dim: int, rows: Tensor) -> Tensor:
    """Floats along the last dim, or the one before, each place as its row says."""
    factors = rows.to(input.dtype)
    return input @ factors.mT if dim == input.ndim - 1 else factors @ input


def of_bytes(input: Tensor, dim: int, rows: Tensor) -> Tensor:
    """Whole numbers from 0 to 255, in float64, along a dim; weights and results are rounded.

    Weights are integers over a power of two, the largest with which they fit into 16 bits: so
    PyTorch and Pillow have it, and all three agree to the last bit.
    """
    largest = float(rows.max().item())
    shift = 0
    while shift < _MOST_SHIFT and floor(0.5 + largest * 2 ** (shift + 1)) < 1 << _MOST_BITS:
        shift += 1
    scale = float(1 << shift)
    whole = (rows.abs() * scale + 0.5).floor() * rows.sign()
    return ((smoothed(input, dim, whole) + scale / 2) / scale).floor().clamp(0, 255)
