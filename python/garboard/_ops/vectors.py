"""Functions of vectors and of sets of them, made of ops."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.overridable import all_overridable
from garboard._engine import DTypeError, ShapeError, Tensor

if TYPE_CHECKING:
    from garboard.types import Number

__all__ = [
    "combinations",
    "cumulative_trapezoid",
    "trapezoid",
    "trapz",
    "vander",
]

_MOST_DIMS = 8


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return every choice of `r` elements, each in their order, a row each.

    Args:
        input: Tensor [n].
        r: How many are chosen, at most 8.
        with_replacement: True chooses an element again and again.

    Returns:
        A new tensor [choices, r]; [0] for `r` of 0. The graph keeps the places.

    Raises:
        ShapeError: There is not one dim, or `r` is above 8.
        ValueError: `r` is negative.
        TypeError: An argument is of another type.
        DisposedError: `input` is disposed.

    >>> gb.combinations(gb.tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    check.tensor("combinations", "input", input)
    count = check.count("combinations", "r", r)
    again = check.flag("combinations", "with_replacement", with_replacement)
    if input.ndim != 1:
        raise ShapeError(f"combinations: sizes {[*input.shape]}; one dim is needed")
    if count > _MOST_DIMS:
        raise ShapeError(f"combinations: r {count}; at most {_MOST_DIMS} is supported")
    if count == 0:
        return _engine.empty(0, dtype=input.dtype, device=input.device)
    with _engine.DisposeScope("combinations") as scope:
        places = _engine.arange(len(input), device=input.device)
        chosen = _engine.ones([1] * count, dtype=_engine.bool, device=input.device)
        own = [
            places.reshape([-1 if dim == at else 1 for dim in range(count)]) for at in range(count)
        ]
        for before, after in pairwise(own):
            chosen = chosen & ((before <= after) if again else (before < after))
        chosen = chosen.expand([len(input)] * count)
        return scope.move_to_outer(input[chosen.nonzero()])


def vander(
    x: Tensor,
    N: int | None = None,  # noqa: N803
    increasing: bool = False,
) -> Tensor:
    """Return the powers of each element, a row each: a Vandermonde matrix.

    Args:
        x: Tensor [n].
        N: How many powers; n by default.
        increasing: True begins with x^0, False ends with it.

    Returns:
        A new tensor [n, N]. Until backward the graph keeps `x` and its powers.

    Raises:
        ShapeError: There is not one dim, or `N` is negative.
        TypeError: An argument is of another type.
        DisposedError: `x` is disposed.

    >>> gb.vander(gb.tensor([1, 2, 3])).tolist()
    [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    """
    check.tensor("vander", "x", x)
    if x.ndim != 1:
        raise ShapeError(f"vander: sizes {[*x.shape]}; one dim is needed")
    count = len(x) if N is None else check.size("vander", "N", N)
    rises = check.flag("vander", "increasing", increasing)
    found = powers(x, count)
    return found if rises else found.flip(-1)


@takes_axis
def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1
) -> Tensor:
    """Integrate along a dim by the trapezoidal rule: sum (x_i+1 - x_i) (y_i + y_i+1) / 2.

    Args:
        y: Tensor of any shape with at least one dim, and of any dtype but bool.
        x: Where `y` was taken, of any dtype but bool: one element for each along `dim`, or a tensor
            whose steps broadcast with `y`.
        dx: The distance of all neighbours, 1 by default; `x` is left out then.
        dim: The dim to integrate along.

    Returns:
        A new tensor without `dim`; integers become the default dtype. Until backward the graph
        keeps the steps of `x` and the sums of neighbours, or nothing where the steps are equal.

    Raises:
        IndexOutOfRangeError: The dim lies outside.
        ShapeError: `x` does not fit `y`.
        DTypeError: A dtype is bool.
        DeviceError: The tensors are on two devices.
        ValueError: Both `x` and `dx` are given.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.trapezoid(gb.tensor([1.0, 5.0, 10.0]))
    tensor(10.5000)
    """
    at = _dim_of("trapezoid", y, x, dx, dim)
    count = y.shape[at]
    if x is not None or count < 2:
        return _areas("trapezoid", y, x, dx, at).sum(at) / 2
    within = y.narrow(at, 1, count - 2).sum(at)
    whole = within + (y.select(at, 0) + y.select(at, count - 1)) / 2
    return whole if dx is None else whole * check.worth("trapezoid", "dx", dx)


@takes_axis
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: int = -1
) -> Tensor:
    """Integrate along a dim by the trapezoidal rule, up to each element after the first.

    Args:
        y: Tensor of any shape with at least one dim, and of any dtype but bool.
        x: Where `y` was taken, of any dtype but bool: one element for each along `dim`, or a tensor
            whose steps broadcast with `y`.
        dx: The distance of all neighbours, 1 by default; `x` is left out then.
        dim: The dim to integrate along.

    Returns:
        A new tensor with one element less along `dim`; integers become the default dtype. Until
        backward the graph keeps the steps and the sums of neighbours.

    Raises:
        IndexOutOfRangeError: The dim lies outside.
        ShapeError: `x` does not fit `y`.
        DTypeError: A dtype is bool.
        DeviceError: The tensors are on two devices.
        ValueError: Both `x` and `dx` are given.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.cumulative_trapezoid(gb.tensor([1.0, 5.0, 10.0]))
    tensor([ 3.0000, 10.5000])
    """
    at = _dim_of("cumulative_trapezoid", y, x, dx, dim)
    return _areas("cumulative_trapezoid", y, x, dx, at).cumsum(at) / 2


trapz = trapezoid


def _dim_of(op: str, y: Tensor, x: Tensor | None, dx: Number | None, dim: int) -> int:
    """Return the dim to integrate along, from 0 on, of what can be integrated."""
    check.tensor(op, "y", y)
    if x is not None and dx is not None:
        raise ArgumentError(f"{op}: both x and dx; one of them is needed")
    at = check.integer(op, "dim", dim)
    if not -y.ndim <= at < y.ndim:
        raise _engine.IndexOutOfRangeError(
            f"{op}: dim {at} of sizes {[*y.shape]}; one from {-y.ndim} to {y.ndim - 1} is needed"
        )
    at %= y.ndim
    if _engine.bool in (y.dtype, None if x is None else check.tensor(op, "x", x).dtype):
        raise DTypeError(f"{op}: a tensor of dtype bool; numbers are needed")
    return at


def _areas(op: str, y: Tensor, x: Tensor | None, dx: Number | None, at: int) -> Tensor:
    """Return twice the area between each two neighbours."""
    heights = _engine.add(*_neighbours(y, at))
    if x is None:
        return heights if dx is None else heights * check.worth(op, "dx", dx)
    if x.ndim == 1:
        if len(x) != y.shape[at]:
            raise ShapeError(f"{op}: {len(x)} elements of x for {y.shape[at]} of y")
        x = x.reshape([-1 if it == at else 1 for it in range(y.ndim)])
    if not 0 < x.ndim <= y.ndim or x.ndim + at < y.ndim:
        raise ShapeError(
            f"{op}: x of sizes {[*x.shape]} for y of {[*y.shape]}; a dim as long as the one "
            "integrated along is needed"
        )
    before, after = _neighbours(x, x.ndim - y.ndim + at)
    return heights * (after - before)


def _neighbours(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Return all elements along a dim but the last, and all but the first."""
    count = max(x.shape[dim] - 1, 0)
    return x.narrow(dim, 0, count), x.narrow(dim, x.shape[dim] - count, count)


def powers(x: Tensor, count: int) -> Tensor:
    """Return x^0, x^1, ... along a new last dim; integers stay exact."""
    is_continuous = x.dtype.is_floating_point or x.dtype.is_complex
    dtype = x.dtype if is_continuous else _engine.int64
    ones = _engine.ones([*x.shape, 1], dtype=dtype, device=x.device)
    if count < 2:
        return ones[..., :count]
    rest = x.to(dtype).unsqueeze(-1).expand([*x.shape, count - 1])
    return _engine.cat([ones, rest], -1).cumprod(-1)


all_overridable(globals())
