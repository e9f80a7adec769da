"""Whether two results are the same: form, sizes, dtype, and elements, nearly."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import torch

from tests.oracle.convert import is_tensor, theirs

__all__ = ["difference", "is_near_or_nearer"]

#: Relative and absolute, as torch.testing has them; of half types, in which PyTorch adds up what
#: garboard adds up in float32, the absolute one is that of a sum of a few.
_TOLERANCES = {
    torch.float16: (1e-3, 2.5e-4),
    torch.bfloat16: (1.6e-2, 5e-3),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}


def difference(expected: Any, found: Any, *, slack: float = 1.0, values: bool = True) -> str | None:
    """Say where `found` differs from `expected`; None where it does not.

    `slack` multiplies the tolerances: the sums of two libraries have different orders. Without
    `values` only sizes and dtypes count.
    """
    if is_tensor(expected):
        return _tensors_differ(expected, found, slack, values)
    if isinstance(expected, (list, tuple)):
        if not isinstance(found, (list, tuple)) or len(found) != len(expected):
            return f"{type(found).__name__} instead of {len(expected)} results"
        for place, (left, right) in enumerate(zip(expected, found, strict=True)):
            if told := difference(left, right, slack=slack, values=values):
                return f"result {place}: {told}"
        return None
    if isinstance(expected, (bool, int, float, complex)):
        is_same = isinstance(found, (bool, int, float, complex)) and (
            found == expected or (expected != expected and found != found)
        )
        return None if is_same or not values else f"{found!r} instead of {expected!r}"
    if isinstance(expected, torch.dtype):
        return None if str(expected).split(".")[-1] == str(found).split(".")[-1] else f"{found}"
    return None


def is_near_or_nearer(
    exact: torch.Tensor, found: gb.Tensor, expected: torch.Tensor, slack: float
) -> bool:
    """Whether `found` is as `exact` says, or at most twice as far from it as `expected` is."""
    if not expected.is_floating_point():
        return difference(exact, found) is None
    best, mine, other = (np.asarray(theirs(it), np.float64) for it in (exact, found, expected))
    relative, absolute = (it * slack for it in _TOLERANCES[expected.dtype])
    with np.errstate(all="ignore"):
        off = np.abs(mine - best)
        near = (off <= absolute + relative * np.abs(best)) | (off <= 2 * np.abs(other - best))
    rounded = np.asarray(theirs(exact.to(expected.dtype)), np.float64)  # perhaps to infinity
    return bool((near | (mine == rounded) | (np.isnan(mine) & np.isnan(best))).all())


def _tensors_differ(expected: torch.Tensor, found: Any, slack: float, values: bool) -> str | None:
    if not isinstance(found, gb.Tensor):
        return f"{type(found).__name__} instead of a tensor"
    if tuple(found.shape) != tuple(expected.shape):
        return f"sizes {list(found.shape)} instead of {list(expected.shape)}"
    name = str(expected.dtype).split(".")[-1]
    if str(found.dtype).split(".")[-1] != name:
        return f"{found.dtype} instead of {name}"
    if not values or not expected.numel():
        return None
    a, b = np.asarray(theirs(expected)), np.asarray(theirs(found))
    if not expected.is_floating_point() and not expected.is_complex():
        wrong = a != b
    else:
        relative, absolute = (it * slack for it in _TOLERANCES[expected.dtype])
        with np.errstate(all="ignore"):
            widest = np.complex128 if expected.is_complex() else np.float64
            wide, other = a.astype(widest), b.astype(widest)
            near = np.abs(wide - other) <= absolute + relative * np.abs(wide)
        wrong = ~(near | (wide == other) | (np.isnan(wide) & np.isnan(other)))
    if not wrong.any():
        return None
    place = tuple(int(it[0]) for it in np.nonzero(wrong)) if wrong.ndim else ()
    return f"{int(wrong.sum())} of {wrong.size} differ: {b[place]!r} for {a[place]!r} at {place}"
