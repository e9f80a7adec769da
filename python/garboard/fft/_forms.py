"""The three forms that transforms come in, along any dims, for all that have names."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments.classes import classed
from garboard._arguments.out import written
from garboard._engine import Tensor
from garboard.fft._arguments import complex_input, dims_and_sizes, fitted, real_input, scale_of
from garboard.fft._transforms import complex_to_complex, complex_to_real, real_to_complex

__all__ = ["between_complex", "from_half", "to_half"]


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
    with _engine.DisposeScope(op) as scope:
        x = complex_input(op, input)
        dims, sizes = dims_and_sizes(op, x, s, dim)
        for one, size in zip(dims, sizes, strict=True):
            x = fitted(x, one, size)
        made = classed(complex_to_complex(x, dims, is_there, scale), input)
        return written(op, scope.move_to_outer(made), out)


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
    with _engine.DisposeScope(op) as scope:
        x = real_input(op, input)
        dims, sizes = dims_and_sizes(op, x, s, dim)
        if not dims:
            raise _engine.ShapeError(f"{op}: no dims; at least one is needed")
        for one, size in zip(dims, sizes, strict=True):
            x = fitted(x, one, size)
        made = real_to_complex(x, dims[-1], scale)
        made = made if is_there else made.conj()
        if len(dims) > 1:
            made = complex_to_complex(made, dims[:-1], is_there, scale)
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
        if len(dims) > 1:
            x = complex_to_complex(x, dims[:-1], is_there, scale)
        made = complex_to_real(x.conj() if is_there else x, dims[-1], last, scale)
        return written(op, scope.move_to_outer(classed(made, input)), out)
