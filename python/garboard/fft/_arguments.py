"""What transforms are given: checked, of the right dtype, cut or padded to the sizes asked for."""

from __future__ import annotations

from collections.abc import Sequence

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._arguments.texts import shown
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._engine import DTypeError, ShapeError, Tensor

__all__ = [
    "Dims",
    "any_input",
    "complex_input",
    "dims_and_sizes",
    "fitted",
    "places_of",
    "ready_dim",
    "real_input",
    "scale_of",
]

#: A dim, or some, or None for all.
Dims = int | Sequence[int] | None

_NORMS = ("backward", "forward", "ortho")


def scale_of(op: str, norm: str | None, is_there: bool) -> int:
    """What is divided by: 0 for nothing, 1 for the root of the number of elements, 2 for that."""
    name = "backward" if norm is None else check.choice(op, "norm", norm, *_NORMS)
    if name == "ortho":
        return 1
    return 2 if (name == "forward") == is_there else 0


def any_input(op: str, input: Tensor) -> Tensor:
    """A tensor of floats or complex numbers, integers in the default dtype."""
    x = _not_half(op, check.tensor(op, "input", input))
    wide = x.dtype.is_complex or x.dtype.is_floating_point
    return x if wide else _converted(op, x, _engine.get_default_dtype())


def complex_input(op: str, input: Tensor) -> Tensor:
    """A tensor as complex numbers, integers by way of the default dtype."""
    x = any_input(op, input)
    return x if x.dtype.is_complex else _converted(op, x, x.dtype.to_complex())


def real_input(op: str, input: Tensor) -> Tensor:
    """A tensor of floats. Raises DTypeError for complex numbers."""
    x = any_input(op, input)
    if x.dtype.is_complex:
        raise DTypeError(f"{op}: dtype {x.dtype}; a real one is needed, or fft.fft()")
    return x


def _converted(op: str, x: Tensor, dtype: _engine.dtype) -> Tensor:
    made = x.to(dtype)
    if made.dtype != dtype:  # a mode of the program's made it
        raise DTypeError(f"{op}: to() gave dtype {made.dtype}; that which it is told is needed")
    return made


def _not_half(op: str, x: Tensor) -> Tensor:
    if count_of_blocks():
        (x,) = as_listed("fft", x)
    if x.dtype in (_engine.float16, _engine.bfloat16):
        raise DTypeError(f"{op}: dtype {x.dtype}; a wider one is needed, as in x.float()")
    return x


def ready_dim(x: object, dim: object, s: object, out: object) -> tuple[int] | None:
    """The dim, where nothing is to be converted, cut, checked or written into: calls are short."""
    if s is not None or out is not None or type(x) is not Tensor or count_of_blocks():
        return None
    if type(dim) is int and -x.ndim <= dim < x.ndim and x.shape[dim] > 0:
        return (dim,)
    return None


def dims_and_sizes(
    op: str, x: Tensor, s: object, dim: object, *, default: Sequence[int] | None = None
) -> tuple[list[int], list[int | None]]:
    """The dims to transform, from 0 on, and the size asked for along each, None for its own.

    Raises:
        ShapeError: A dim lies outside or is named twice, a size is none, or their numbers differ.
        TypeError: What is given is neither.
    """
    if s is None and type(dim) is int and -x.ndim <= dim < x.ndim and x.shape[dim] > 0:
        return [dim % x.ndim], [None]  # the usual ones, which may be short
    if dim is None and default is not None:
        dim = default
    wanted = None if s is None else _integers(op, "s", s)
    if dim is None:
        count = x.ndim if wanted is None else len(wanted)
        if count > x.ndim:
            raise ShapeError(f"{op}: {count} sizes for {x.ndim} dims; at most one each is needed")
        dims = [*range(x.ndim - count, x.ndim)]
    else:
        dims = places_of(op, x, dim)
    if wanted is not None and len(wanted) != len(dims):
        raise ShapeError(f"{op}: {len(wanted)} sizes for {len(dims)} dims; one each is needed")
    if len({*dims}) < len(dims):
        raise ShapeError(f"{op}: dims {shown(dims)}; each may be named once")
    sizes: list[int | None] = [None] * len(dims)
    if wanted is not None:
        sizes = [None if size == -1 else size for size in wanted]
    for one, size in zip(dims, sizes, strict=True):
        if (x.shape[one] if size is None else size) < 1:
            told = x.shape[one] if size is None else shown(size)
            raise ShapeError(f"{op}: {told} elements along dim {one}; at least 1 is needed")
    return dims, sizes


def places_of(op: str, x: Tensor, dim: object) -> list[int]:
    """The dims that are named, from 0 on. Raises IndexOutOfRangeError for one that is not there."""
    return [check.place(op, "dim", one, x.ndim) for one in _integers(op, "dim", dim)]


def _integers(op: str, name: str, given: object) -> list[int]:
    if not isinstance(given, (list, tuple)):
        return [check.integer(op, name, given, "an integer, or a list or tuple of them,")]
    return [check.integer(op, f"{name}[{place}]", one) for place, one in enumerate(items_of(given))]


def fitted(x: Tensor, dim: int, size: int | None) -> Tensor:
    """Cut or padded with zeros at the end of a dim."""
    have = x.shape[dim]
    if size is None or size == have:
        return x
    if size < have:
        return x.narrow(dim, 0, size)
    sizes = [*x.shape]
    sizes[dim] = size - have
    return _engine.cat([x, _engine.zeros(sizes, dtype=x.dtype, device=x.device)], dim)
