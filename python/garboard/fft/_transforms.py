"""The three transforms that all others are made of, and their gradients.

The gradient of a transform is its adjoint, with the same scale (see `_library`), which is one of
the three again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._engine import DTypeError, Tensor
from garboard.autograd.function import Function
from garboard.fft._library import complex_into, half_into, whole_into

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = ["complex_to_complex", "complex_to_real", "real_to_complex"]


def _made(
    write_into: Callable[..., None],
    x: Tensor,
    sizes: list[int] | tuple[int, ...],
    dtype: DType,
    *how: Any,
) -> Tensor:
    """Return a new tensor on the device of `x` that is written into beside an array of `x`."""
    with _engine.DisposeScope("fft") as scope:
        result = _engine.empty(sizes, dtype=dtype)
        if result.dtype != dtype or [*result.shape] != [*sizes]:  # a mode of the program's made it
            raise DTypeError(
                f"fft: empty() gave dtype {result.dtype} and sizes {[*result.shape]}; those which "
                "it is told are needed"
            )
        is_here = x.device.type == "cpu"
        if result.numel():
            given = x.detach() if is_here else x.detach().cpu()
            write_into(given.numpy(), result.numpy(), *how)
        return scope.move_to_outer(result if is_here else result.to(x.device))


def _along_dims(x: Tensor, dims: tuple[int, ...], is_there: bool, scale: str) -> Tensor:
    return _made(complex_into, x, x.shape, x.dtype, dims, is_there, scale)


def _of_reals(x: Tensor, dim: int, scale: str) -> Tensor:
    sizes = [*x.shape]
    sizes[dim] = sizes[dim] // 2 + 1
    return _made(half_into, x, sizes, x.dtype.to_complex(), dim, scale)


def _to_reals(x: Tensor, dim: int, size: int, scale: str) -> Tensor:
    sizes = [*x.shape]
    sizes[dim] = size
    return _made(whole_into, x, sizes, x.dtype.to_real(), dim, scale)


def _applied(function: type[Function], made: Callable[..., Tensor], x: Tensor, *how: Any) -> Tensor:
    """Record a transform where somebody asks for its gradient."""
    if not (x.requires_grad and _engine.is_grad_enabled()):
        return made(x, *how)
    found: Tensor = function.apply(x, *how)
    return found


class _ComplexToComplex(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, dims: tuple[int, ...], is_there: bool, scale: str) -> Tensor:
        ctx.arguments = dims, is_there, scale
        return _along_dims(x, dims, is_there, scale)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        dims, is_there, scale = ctx.arguments
        return complex_to_complex(gradient, dims, not is_there, scale), None, None, None


class _RealToComplex(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, dim: int, scale: str) -> Tensor:
        ctx.arguments = dim, x.shape[dim], scale
        return _of_reals(x, dim, scale)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        dim, size, scale = ctx.arguments
        sizes = [*gradient.shape]
        sizes[dim] = size - sizes[dim]
        rest = _engine.zeros(sizes, dtype=gradient.dtype, device=gradient.device)
        whole = _engine.cat([gradient, rest], dim)
        return complex_to_complex(whole, (dim,), False, scale).real, None, None


class _ComplexToReal(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, dim: int, size: int, scale: str) -> Tensor:
        ctx.arguments = dim, size, scale
        return _to_reals(x, dim, size, scale)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        dim, size, scale = ctx.arguments
        half = real_to_complex(gradient, dim, scale)
        # What was read twice, once conjugated: all but the first, and the middle of an even size.
        counts = _engine.full((half.shape[dim],), 2.0, dtype=gradient.dtype, device=half.device)
        counts[0] = 1.0
        if size % 2 == 0:
            counts[-1] = 1.0
        return half * counts.reshape([-1] + [1] * (half.ndim - dim - 1)), None, None, None


def complex_to_complex(x: Tensor, dims: Sequence[int], is_there: bool, scale: str) -> Tensor:
    """The transform of a complex tensor along `dims`, there or back."""
    if not dims or prod(x.shape[dim] for dim in dims) == 0:
        return x.clone()
    return _applied(_ComplexToComplex, _along_dims, x, tuple(dims), is_there, scale)


def real_to_complex(x: Tensor, dim: int, scale: str) -> Tensor:
    """The first half of what a real tensor becomes along a dim; the rest is its mirror image."""
    return _applied(_RealToComplex, _of_reals, x, dim, scale)


def complex_to_real(x: Tensor, dim: int, size: int, scale: str) -> Tensor:
    """The way back to `size` real numbers, of size // 2 + 1 complex ones along a dim."""
    return _applied(_ComplexToReal, _to_reals, x, dim, size, scale)
