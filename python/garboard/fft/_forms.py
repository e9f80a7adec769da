"""The three forms that transforms come in, along any dims, for all that have names."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments.classes import classed
from garboard._arguments.out import written
from garboard._engine import Tensor
from garboard.fft._arguments import (
    any_input,
    complex_input,
    dims_and_sizes,
    fitted,
    ready_dim,
    real_input,
    scale_of,
)

__all__ = ["between_complex", "from_half", "to_half"]

_WIDE = (_engine.float32, _engine.float64)


def between_complex(
    op: str,
    input: Tensor,
    s: object,
    dim: object,
    norm: str | None,
    out: Tensor | None,
    *,
    is_there: bool,
) -> Tensor:
    """Complex numbers to as many."""
    scale = scale_of(op, norm, is_there)
    if ready := ready_dim(input, dim, s, out):
        if input.dtype.is_complex:
            return _engine._fft_c2c(input, ready, scale, is_there)
        if is_there and input.dtype in _WIDE:
            return _engine._fft_r2c(input, ready, scale, False)
    with _engine.DisposeScope(op) as scope:
        x = any_input(op, input)
        dims, sizes = dims_and_sizes(op, x, s, dim)
        for one, size in zip(dims, sizes, strict=True):
            x = fitted(x, one, size)
        if x.dtype.is_complex:
            made = _engine._fft_c2c(x, dims, scale, is_there)
        elif dims:
            there = _engine._fft_r2c(x, dims, scale, False)
            made = there if is_there else there.conj()
        else:
            made = x.to(x.dtype.to_complex())
        return written(op, scope.move_to_outer(classed(made, input)), out)


def to_half(
    op: str,
    input: Tensor,
    s: object,
    dim: object,
    norm: str | None,
    out: Tensor | None,
    *,
    is_there: bool,
) -> Tensor:
    """Real numbers to the first half along the last dim; `is_there` False: to its conjugate."""
    scale = scale_of(op, norm, is_there)
    if is_there and (ready := ready_dim(input, dim, s, out)) and input.dtype in _WIDE:
        return _engine._fft_r2c(input, ready, scale, True)
    with _engine.DisposeScope(op) as scope:
        x = real_input(op, input)
        dims, sizes = dims_and_sizes(op, x, s, dim)
        if not dims:
            raise _engine.ShapeError(f"{op}: no dims; at least one is needed")
        for one, size in zip(dims, sizes, strict=True):
            x = fitted(x, one, size)
        made = _engine._fft_r2c(x, dims, scale, True)
        made = made if is_there else made.conj()
        return written(op, scope.move_to_outer(classed(made, input)), out)


def from_half(
    op: str,
    input: Tensor,
    s: object,
    dim: object,
    norm: str | None,
    out: Tensor | None,
    *,
    is_there: bool,
) -> Tensor:
    """Back to real numbers, from the first half of complex ones along the last dim."""
    scale = scale_of(op, norm, is_there)
    with _engine.DisposeScope(op) as scope:
        x = complex_input(op, input)
        dims, sizes = dims_and_sizes(op, x, s, dim)
        if not dims:
            raise _engine.ShapeError(f"{op}: no dims; at least one is needed")
        for one, size in zip(dims[:-1], sizes, strict=False):
            x = fitted(x, one, size)
        asked = sizes[-1]
        last = 2 * (x.shape[dims[-1]] - 1) if asked is None else asked
        if last < 1:
            raise _engine.ShapeError(
                f"{op}: {last} elements along dim {dims[-1]} of the result; at least 1 is needed"
            )
        x = fitted(x, dims[-1], last // 2 + 1)
        made = _engine._fft_c2r(x.conj() if is_there else x, dims, scale, last)
        return written(op, scope.move_to_outer(classed(made, input)), out)
