"""Sampling by matrices: each place is a row of weights of the elements along one dim.

For what the engine's kernel, which knows two or four neighbours of floats, does not do: the wide
filters that shrink without aliases, and bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

from garboard import _engine
from garboard._engine import Tensor

__all__ = ["Band", "bands", "nearest_elements", "of_bytes", "smoothed"]

Elements = Literal["nearest", "nearest-exact", "linear", "cubic"]

_MOST_BITS = 15  # of a weight of bytes, its sign apart
_MOST_SHIFT = 22
_BAND, _FEWEST_PLACES = 64, 8  # about so many elements, and no fewer places


def nearest_elements(
    input: Tensor, dim: int, places: int, elements: Elements, step: float
) -> Tensor:
    """The nearest elements along a dim, of any dtype."""
    numbers = _engine.arange(input.shape[dim], dtype=_engine.float64, device=input.device)
    met = _engine._resample(numbers, 0, places, elements, False, step)
    return input.index_select(dim, met.long())


@dataclass(frozen=True)
class Band:
    """Places one after the other, and the elements that any of them meets, from `first` on."""

    first: int
    rows: Tensor  # [places, elements], float64; each adds up to 1


def bands(
    like: Tensor, dim: int, places: int, elements: Elements, aligns: bool, step: float, wide: bool
) -> list[Band]:
    """How places are mixed of the elements along a dim.

    Where `wide` and a step is longer than an element, the filter spans as many more elements
    (linear: a triangle; cubic: Keys' convolution with a = -0.5), cut off at the edges. Places are
    cut into bands where that makes products much smaller, and no gradient passes, which would be
    summed band by band.
    """
    size = like.shape[dim]
    if not wide:
        each = _engine.eye(size, dtype=_engine.float64, device=like.device)
        return [Band(0, _engine._resample(each, 0, places, elements, aligns, step))]
    reach = (2.0 if elements == "cubic" else 1.0) * max(step, 1.0)
    some = max(int(_BAND / step), _FEWEST_PLACES) if step else places
    if like.requires_grad or size < 2 * (_BAND + 2 * reach):
        some = places
    found = []
    for first in range(0, places, some):
        last = min(first + some, places)
        begin = max(floor((first + 0.5) * step - reach) - 1, 0)
        end = min(ceil((last - 0.5) * step + reach) + 1, size)
        place = _engine.arange(first, last, dtype=_engine.float64, device=like.device)
        at = _engine.arange(begin, end, dtype=_engine.float64, device=like.device)
        found.append(Band(begin, _wide_rows(place.unsqueeze(1), at, size, elements, step)))
    return found


def _wide_rows(place: Tensor, at: Tensor, size: int, elements: Elements, step: float) -> Tensor:
    stretch = max(step, 1.0)
    reach = (2.0 if elements == "cubic" else 1.0) * stretch
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


def smoothed(input: Tensor, dim: int, given: list[Band]) -> Tensor:
    """Floats along the last dim, or the one before, each place as its row says."""
    parts = []
    for band in given:
        factors = band.rows.to(input.dtype)
        part = input.narrow(dim, band.first, factors.shape[1])
        parts.append(part @ factors.mT if dim == input.ndim - 1 else factors @ part)
    return parts[0] if len(parts) == 1 else _engine.cat(parts, dim)


def of_bytes(input: Tensor, dim: int, given: list[Band]) -> Tensor:
    """Whole numbers from 0 to 255, in float64, along a dim; weights and results are rounded.

    Weights are integers over a power of two, the largest with which they fit into 16 bits: so
    PyTorch and Pillow have it, and all three agree to the last bit.
    """
    largest = max(float(band.rows.max().item()) for band in given)
    shift = 0
    while shift < _MOST_SHIFT and floor(0.5 + largest * 2 ** (shift + 1)) < 1 << _MOST_BITS:
        shift += 1
    scale = float(1 << shift)
    whole = [
        Band(band.first, (band.rows.abs() * scale + 0.5).floor() * band.rows.sign())
        for band in given
    ]
    return ((smoothed(input, dim, whole) + scale / 2) / scale).floor().clamp(0, 255)
