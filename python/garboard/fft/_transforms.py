"""The three transforms that all others are made of, and their gradients.

A scale is what a transform divides by: "one", "root" (of the number of elements) or "all" of them.
The gradient of a transform is its adjoint, with the same scale, which is one of the three again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, Literal

from garboard import _engine
from garboard._engine import Tensor
from garboard.autograd.function import Function
from garboard.fft._library import transform_into

if TYPE_CHECKING:
    from garboard.types import DType, Size

__all__ = ["complex_to_complex", "complex_to_real", "real_to_complex"]

_Transform = Callable[..., Any]

_Norm = Literal["backward", "ortho", "forward"]
#: NumPy's names of the scales: of transforms there, and of those back.
_THERE: dict[str, _Norm] = {"one": "backward", "root": "ortho", "all": "forward"}
_BACK: dict[str, _Norm] = {"one": "forward", "root": "ortho", "all": "backward"}

#: With so many elements threads share the slices.
_MANY = 1 << 15


def _run(transform: _Transform, x: Tensor, dims: Sequence[int], result: Tensor) -> None:
    """Have it written into `result`, which lies on the CPU, slice by slice where there are many.

    Only slices along dims that are not transformed are cut apart, so the bits stay the same.
    """
    given, made = x.numpy(), result.numpy()
    threads = _engine.get_num_threads()
    cut = max(
        (dim for dim in range(x.ndim) if dim not in dims), key=lambda dim: x.shape[dim], default=-1
    )
    count = x.shape[cut] if cut >= 0 else 1
    if threads == 1 or count < threads or x.numel() < _MANY:
        transform(given, out=made)
        return
    bounds = [count * i // threads for i in range(threads + 1)]
    from concurrent.futures import ThreadPoolExecutor

    parts = [(slice(None),) * cut + (slice(first, last),) for first, last in pairwise(bounds)]
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(transform, given[part], out=made[part]) for part in parts]:
            done.result()


def _made(
    transform: _Transform, x: Tensor, dims: Sequence[int], sizes: Size, dtype: DType
) -> Tensor:
    with _engine.DisposeScope("fft") as scope:
        result = _engine.empty(sizes, dtype=dtype)
        if result.numel():
            _run(transform, x.detach().cpu(), dims, result)
        return scope.move_to_outer(result.to(x.device))


def _along_dims(x: Tensor, dims: tuple[int, ...], is_there: bool, scale: str) -> Tensor:
    def transform(given: Any, out: Any) -> None:
        name, norms = ("fftn", _THERE) if is_there else ("ifftn", _BACK)
        transform_into(name, given, out, axes=dims, norm=norms[scale])

    return _made(transform, x, dims, x.shape, x.dtype)


def _of_reals(x: Tensor, dim: int, scale: str) -> Tensor:
    sizes = [*x.shape]
    sizes[dim] = sizes[dim] // 2 + 1

    def transform(given: Any, out: Any) -> None:
        transform_into("rfft", given, out, axis=dim, norm=_THERE[scale])

    return _made(transform, x, (dim,), sizes, x.dtype.to_complex())


def _to_reals(x: Tensor, dim: int, size: int, scale: str) -> Tensor:
    sizes = [*x.shape]
    sizes[dim] = size

    def transform(given: Any, out: Any) -> None:
        transform_into("irfft", given, out, n=size, axis=dim, norm=_BACK[scale])

    return _made(transform, x, (dim,), sizes, x.dtype.to_real())


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
