"""Functions of vectors and of sets of them, made of ops."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan
from typing import TYPE_CHECKING, Literal

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.numpy_names import takes_axis
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard._ops.triangles import triu_indices

if TYPE_CHECKING:
    from garboard.types import Number

__all__ = [
    "cdist",
    "combinations",
    "cumulative_trapezoid",
    "pdist",
    "trapezoid",
    "trapz",
    "vander",
]

_MOST_DIMS = 8
_LEAST_ROWS = 25  # so many distances each way are had of one product of matrices
_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


def cdist(
    x1: Tensor,
    x2: Tensor,
    p: Number = 2.0,
    compute_mode: Literal[
        "use_mm_for_euclid_dist_if_necessary",
        "use_mm_for_euclid_dist",
        "donot_use_mm_for_euclid_dist",
    ] = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Compute the distance of each row of `x1` from each row of `x2`.

    cdist(x, y)_ij = (sum_k |x_ik - y_jk|^p)^(1/p). Where it is 0, the gradient of p = 2 is 0. Of
    many rows and p = 2 it is sqrt(|x|^2 + |y|^2 - 2 x y), which loses digits between near rows.

    Args:
        x1: Tensor [..., n, k] of a floating dtype.
        x2: Tensor [..., m, k] of the same dtype; what stands before the last two dims broadcasts.
        p: The power, 0 or more; inf takes the largest difference, 0 counts the differences.
        compute_mode: Whether p = 2 takes the product: from 26 rows on, always, or never.

    Returns:
        A new tensor [..., n, m]. Until backward the graph keeps differences, or both tensors.

    Raises:
        ShapeError: There are fewer than two dims, or the sizes do not fit.
        DTypeError: The dtypes differ, or are not floating.
        DeviceError: The tensors are on two devices.
        ValueError: `p` is negative, or an unknown `compute_mode`.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.cdist(gb.tensor([[0.0, 0.0]]), gb.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])
    """
    check.tensor("cdist", "x1", x1)
    check.tensor("cdist", "x2", x2)
    power = check.worth("cdist", "p", p)
    if not power >= 0:
        raise ValueError(f"cdist: p {power}; 0 or more is needed")
    mode = check.choice("cdist", "compute_mode", compute_mode, *_MODES)
    if not x1.dtype.is_floating_point or x1.dtype != x2.dtype:
        raise DTypeError(
            f"cdist: dtypes {x1.dtype} and {x2.dtype}; both must be of one floating dtype"
        )
    if min(x1.ndim, x2.ndim) < 2 or x1.shape[-1] != x2.shape[-1]:
        raise ShapeError(
            f"cdist: sizes {[*x1.shape]} and {[*x2.shape]}; [..., n, k] and [..., m, k] are needed"
        )
    is_large = max(x1.shape[-2], x2.shape[-2]) > _LEAST_ROWS
    if power == 2 and (mode == _MODES[1] or (mode == _MODES[0] and is_large)):
        return _by_product(x1, x2)
    apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    if apart.shape[-1] == 0:  # of which there is no largest
        return apart.sum(-1)
    far = apart.norm(power if power < inf else inf, -1)
    return far if power else far.masked_fill(apart.isnan().any(-1), nan)


def _by_product(x1: Tensor, x2: Tensor) -> Tensor:
    products = x1 @ x2.transpose(
        -2, -1
    )  # first: what has no room is refused before the rows are read
    squares = x1.square().sum(-1, keepdim=True) + x2.square().sum(-1).unsqueeze(-2)
    total = squares - 2 * products
    is_apart = ~(total.detach() <= 0)  # and NaN, which is no distance of 0
    return _engine.where(is_apart, _engine.where(is_apart, total, 1.0).sqrt(), 0.0)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the distance of each row to each later one.

    Args:
        input: Floating tensor [n, k].
        p: The norm's power, 0 or more, or infinity.

    Returns:
        A new tensor [n (n - 1) / 2], row by row. The graph keeps the differences.

    Raises:
        ShapeError: There are not two dims.
        DTypeError: `input` is not floating.
        ValueError: `p` is negative.
        TypeError: An argument is of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.pdist(gb.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])).tolist()[:2]
    [5.0, 1.0]
    """
    x = check.tensor("pdist", "input", input)
    power = check.worth("pdist", "p", p)
    if not power >= 0:
        raise ValueError(f"pdist: p {power}; 0 or more is needed")
    if not x.dtype.is_floating_point:
        raise DTypeError(f"pdist: dtype {x.dtype}; a floating dtype is needed")
    if x.ndim != 2:
        raise ShapeError(f"pdist: sizes {[*x.shape]}; two dims are needed")
    rows, later = triu_indices(len(x), len(x), 1, device=x.device)
    apart = x[rows] - x[later]
    return apart.sum(-1) if x.shape[1] == 0 else apart.norm(power, -1)


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
        raise ValueError(f"{op}: both x and dx; one of them is needed")
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
        raise ShapeError(f"{op}: x of sizes {[*x.shape]} for y of {[*y.shape]}; its dim is needed")
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
