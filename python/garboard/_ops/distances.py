"""Distances between the rows of matrices.

Where they are no product of matrices and have no kernel, differences are made of some rows at a
time, which stay in the caches; backward makes them once more.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, prod
from typing import TYPE_CHECKING, Any, Literal

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._contexts.autocasting import as_listed, count_of_blocks, left_alone
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard._ops.functions import broadcast_shapes
from garboard.autograd import grad
from garboard.autograd.function import Function

if TYPE_CHECKING:
    from garboard.types import Number

__all__ = ["cdist", "pdist"]

_AT_ONCE = 1 << 18  # differences: of float32 they fit the second cache
_LEAST_ROWS = 25  # so many distances each way are had of one product of matrices
_KERNEL_DTYPES = (_engine.float32, _engine.float64)
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
        A new tensor [..., n, m]. Until backward the graph keeps both tensors, and it, of p = 2
        and infinity.

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
    if count_of_blocks():
        x1, x2 = as_listed("cdist", x1, x2)
    check.tensor("cdist", "x1", x1)
    check.tensor("cdist", "x2", x2)
    power = check.worth("cdist", "p", p)
    if not power >= 0:
        raise ArgumentError(f"cdist: p {power}; 0 or more is needed")
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
        if not count_of_blocks():
            return _by_product(x1, x2)
        with left_alone(x1.device.type):
            return _by_product(x1, x2)
    if _has_kernel(x1, x2, power):
        return _engine._cdist(x1, x2, power)
    sizes = [*broadcast_shapes(x1.shape[:-2], x2.shape[:-2]), x1.shape[-2], x2.shape[-2]]
    each = prod(x2.shape) * prod(x1.shape[:-2])
    return _by_parts((x1, x2), each, sizes, lambda rows, others, _: _far(rows, others, power))


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the distance of each row to each later one.

    Args:
        input: Floating tensor [n, k].
        p: The norm's power, 0 or more, or infinity.

    Returns:
        A new tensor [n (n - 1) / 2], row by row. Until backward the graph keeps `input`, and it, of
        p = 2 and infinity.

    Raises:
        ShapeError: There are not two dims.
        DTypeError: `input` is not floating.
        ValueError: `p` is negative.
        TypeError: An argument is of another type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.pdist(gb.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])).tolist()[:2]
    [5.0, 1.0]
    """
    if count_of_blocks():
        (input,) = as_listed("pdist", input)
    x = check.tensor("pdist", "input", input)
    power = check.worth("pdist", "p", p)
    if not power >= 0:
        raise ArgumentError(f"pdist: p {power}; 0 or more is needed")
    if not x.dtype.is_floating_point:
        raise DTypeError(f"pdist: dtype {x.dtype}; a floating dtype is needed")
    if x.ndim != 2:
        raise ShapeError(f"pdist: sizes {[*x.shape]}; two dims are needed")
    if _has_kernel(x, x, power):
        return _engine._pdist(x, power)
    sizes = [len(x) * (len(x) - 1) // 2]
    return _by_parts(
        (x, x), x.numel(), sizes, lambda rows, all, at: _far_from_later(rows, all, at, power)
    )


def _by_product(x1: Tensor, x2: Tensor) -> Tensor:
    if _engine.is_grad_enabled() and (x1.requires_grad or x2.requires_grad):
        found: Tensor = _ByProduct.apply(x1, x2)
        return found
    return _root_of_product(x1, x2)


def _root_of_product(x1: Tensor, x2: Tensor) -> Tensor:
    """(|x|^2 + |y|^2 - 2 x y)^(1/2), its three parts as one product of longer rows."""
    sizes = [*broadcast_shapes(x1.shape[:-2], x2.shape[:-2]), x1.shape[-2], x2.shape[-2]]
    far = _engine.empty(sizes, dtype=x1.dtype, device=x1.device)  # there is room, before all work
    with _engine.DisposeScope("cdist"):
        first, second = (it.square().sum(-1, keepdim=True) for it in (x1, x2))
        left = _engine.cat([x1 * -2, first, _engine.ones_like(first)], -1)
        right = _engine.cat([x2, _engine.ones_like(second), second], -1)
        _engine.matmul(left, right.transpose(-2, -1), out=far)
    return far.clamp_(min=0).sqrt_()


class _ByProduct(Function):
    """The gradient of a row is the sum over the others of (x - y) / |x - y|, 0 where that is 0."""

    @staticmethod
    def forward(ctx: Any, x1: Tensor, x2: Tensor) -> Tensor:
        far = _root_of_product(x1, x2)
        ctx.save_for_backward(x1, x2, far)
        return far

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x1, x2, far = ctx.saved_tensors
        is_met = far == 0
        share = _engine.where(is_met, 0.0, gradient / _engine.where(is_met, 1.0, far))
        found: list[Tensor | None] = [None, None]
        for i, (x, y, part) in enumerate([(x1, x2, share), (x2, x1, share.transpose(-2, -1))]):
            if ctx.needs_input_grad[i]:
                made = part.sum(-1, keepdim=True) * x - part @ y
                found[i] = made.sum_to_size(x.shape)
        return tuple(found)


def _has_kernel(x1: Tensor, x2: Tensor, power: float) -> bool:
    return x1.is_cpu and x2.is_cpu and power in (1, 2, inf) and x1.dtype in _KERNEL_DTYPES


def _far(x1: Tensor, x2: Tensor, power: float) -> Tensor:
    apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    if apart.shape[-1] == 0:  # of which there is no largest
        return apart.sum(-1)
    far = apart.norm(power, -1)
    return far if power else far.masked_fill(apart.isnan().any(-1), nan)


def _far_from_later(part: Tensor, x: Tensor, first: int, power: float) -> Tensor:
    """The distances of some rows, which begin at `first`, from each row behind them."""
    far = _far(part, x[first + 1 :], power)
    return far[_engine.ones(far.shape, dtype=_engine.bool, device=x.device).triu()]


_Far = Callable[[Tensor, Tensor, int], Tensor]


class _MadeAgain(Function):
    """Distances that keep for backward what they are of alone, and are made once more there."""

    @staticmethod
    def forward(ctx: Any, far: _Far, rows: Tensor, others: Tensor, first: int) -> Tensor:
        ctx.far, ctx.first = far, first
        ctx.save_for_backward(rows, others)
        return far(rows, others, first)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        given, asked = ctx.saved_tensors, ctx.needs_input_grad[1:3]
        is_recorded = _engine.is_grad_enabled()
        with enable_grad():
            if not is_recorded:
                given = [
                    it.detach().requires_grad_(one) for it, one in zip(given, asked, strict=True)
                ]
            made = ctx.far(*given, ctx.first)
        wanted = [it for it, one in zip(given, asked, strict=True) if one]
        found = iter(grad(made, wanted, gradient, create_graph=is_recorded))
        return None, *(next(found) if one else None for one in asked), None


def _by_parts(given: tuple[Tensor, Tensor], each: int, sizes: list[int], far: _Far) -> Tensor:
    """What `far` makes of some rows, of all others, and of the number of the first, of all rows.

    Args:
        given: The rows [..., n, k], and the others.
        each: How many differences a row has.
        sizes: Of the result, along whose only or last dim but one the parts stand.
        far: What is called.
    """
    x, others = given
    rows, dim = max(_AT_ONCE // max(each, 1), 1), max(len(sizes) - 2, 0)
    if x.shape[-2] <= rows:
        return far(x, others, 0)
    whole = _engine.empty(sizes, dtype=x.dtype, device=x.device)  # there is room, before all work
    parts = zip(x.split(rows, -2), range(0, x.shape[-2], rows), strict=True)
    if _engine.is_grad_enabled() and (x.requires_grad or others.requires_grad):
        whole.dispose()
        return _engine.cat([_MadeAgain.apply(far, it, others, at) for it, at in parts], dim)
    written = 0
    for part, first in parts:
        some = far(part, others, first)
        whole.narrow(dim, written, some.shape[dim]).copy_(some)
        written += some.shape[dim]
    return whole


all_overridable(globals())
