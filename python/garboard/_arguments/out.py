"""`out=` of functions that are written in Python: what they made goes where it was asked for."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments import check
from garboard._engine import Tensor

__all__ = ["written"]


def written(op: str, result: Tensor, out: Tensor | None) -> Tensor:
    """Return `result`, or `out` with its elements.

    Raises:
        ShapeError: `out` has other sizes.
        DTypeError: The category of the result (bool, integer, floating) is above that of `out`.
        DeviceError: `out` is on another device.
        GradientError: Grad mode is on, and `out` or `result` requires grad.
        TypeError: `out` is no Tensor.
        DisposedError: `out` is disposed.
    """
    return result if out is None else _engine._written(check.tensor(op, "out", out), result, op)
