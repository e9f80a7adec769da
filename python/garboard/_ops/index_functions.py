"""Sums and their like by index, places from flat numbers, and counts by bins."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import items_of, refuse_unless_list
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._engine import DTypeError, IndexOutOfRangeError, ShapeError, Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from collections.abc import Sequence

    from garboard.types import Size

__all__ = ["histogram", "histogramdd", "index_reduce", "renorm", "unravel_index"]

_REDUCES = ("prod", "mean", "amax", "amin")


@takes_axis
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: Literal["prod", "mean", "amax", "amin"],
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    """Return `input`, each row of it reduced with those of `source` that `index` sends there.

    Args:
        input: Tensor of any sizes; without dims it is one row.
        dim: The rows'.
        index: int64 or int32 tensor [rows of `source`].
        source: Tensor of `input`'s sizes but along `dim`, and of its dtype.
        reduce: "prod", "mean", "amax" or "amin".
        include_self: False leaves `input`'s own row out, where others come.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes and dtype. Until backward the graph keeps what the
        reduction needs.

    Raises:
        ShapeError: The sizes do not fit.
        IndexOutOfRangeError: There is no such dim or row.
        DTypeError: The dtypes differ, or `index` is not of integers.
        ValueError: Another `reduce`.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> index, rows = gb.tensor([1, 1]), gb.tensor([3.0, 4.0])
    >>> gb.index_reduce(gb.tensor([1.0, 2.0]), 0, index, rows, "prod")
    tensor([ 1., 24.])
    """
    op = "index_reduce"
    along, numbers = _index(op, input, dim, index, source)
    how = check.choice(op, "reduce", reduce, *_REDUCES)
    includes = check.flag(op, "include_self", include_self)
    rows = source.reshape(numbers.shape)
    made = input.scatter_reduce(along, numbers, rows, how, include_self=includes)
    return written(op, made, out)


def _index(op: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> tuple[int, Tensor]:
    """The dim from the front, and the rows' numbers for each element."""
    for name, given in (("input", input), ("index", index), ("source", source)):
        check.tensor(op, name, given)
    count, along = input.ndim, check.integer(op, "dim", dim)
    ends = max(count, 1)
    if not -ends <= along < ends:
        raise IndexOutOfRangeError(
            f"{op}: dim {along} of a tensor of {count} dims; it must lie in [{-ends}, {ends - 1}]"
        )
    along %= ends
    if index.dtype not in (_engine.int64, _engine.int32):
        raise DTypeError(f"{op}: an index of dtype {index.dtype}; int64 or int32 is needed")
    if source.dtype != input.dtype:
        raise DTypeError(
            f"{op}: a source of dtype {source.dtype} for {input.dtype}; they must be equal"
        )
    wanted = (*input.shape[:along], *index.shape, *input.shape[along + 1 :])
    is_one = input.ndim == 0 and source.ndim == 0 and index.shape == (1,)
    if not is_one and (index.ndim != 1 or source.shape != wanted):
        raise ShapeError(
            f"{op}: an index of sizes {[*index.shape]} and a source of {[*source.shape]} for "
            f"{[*input.shape]}; [rows], and as many rows along dim {along}, are needed"
        )
    sizes = [-1 if at == along else 1 for at in range(count)]
    return along, index.long() if count == 0 else index.long().view(sizes).expand(source.shape)


def _index_reduce_(
    self: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: Literal["prod", "mean", "amax", "amin"],
    *,
    include_self: bool = True,
) -> Tensor:
    """Write what `index_reduce` returns into the tensor.

    Args:
        dim: As for `index_reduce`, as all others.
        index: Likewise.
        source: Likewise.
        reduce: Likewise.
        include_self: Likewise.

    Returns:
        The tensor itself.

    Raises:
        ShapeError: The sizes do not fit.
        IndexOutOfRangeError: There is no such dim or row.
        DTypeError: The dtypes differ, or `index` is not of integers.
        GradientError: A leaf that requires grad is written.
        ValueError: Another `reduce`.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.tensor([1.0, 2.0]).index_reduce_(0, gb.tensor([0]), gb.tensor([5.0]), "amax")
    tensor([5., 2.])
    """
    op = "index_reduce_"
    along, numbers = _index(op, self, dim, index, source)
    how = check.choice(op, "reduce", reduce, *_REDUCES)
    includes = check.flag(op, "include_self", include_self)
    rows = source.reshape(numbers.shape)
    return self.scatter_reduce_(along, numbers, rows, how, include_self=includes)


def unravel_index(indices: Tensor, shape: int | Size) -> tuple[Tensor, ...]:
    """Return where elements stand whose numbers in a dense tensor are known.

    Args:
        indices: Integer tensor of any sizes, each number below the product of `shape`; negative
            ones count from the end.
        shape: Sizes.

    Returns:
        A tuple of new int64 tensors of the sizes of `indices`, one for each size.

    Raises:
        DTypeError: `indices` are no integers.
        IndexOutOfRangeError: A number lies outside.
        ShapeError: A size is negative.
        TypeError: An argument is of another type.
        DisposedError: The tensor is disposed.

    >>> [it.tolist() for it in gb.unravel_index(gb.tensor([0, 5]), (2, 3))]
    [[0, 1], [0, 2]]
    """
    op = "unravel_index"
    given = check.tensor(op, "indices", indices)
    if given.dtype.is_floating_point or given.dtype == _engine.bool:
        raise DTypeError(f"{op}: indices of dtype {given.dtype}; integers are needed")
    sizes = check.sizes(op, "shape", shape)
    count = 1
    for size in sizes:
        count *= size
    left = given.long()
    if given.numel():
        least, most = (int(it.item()) for it in left.aminmax())
        if least < -count or most >= count:
            told = least if least < -count else most
            raise IndexOutOfRangeError(
                f"{op}: number {told} in a tensor of sizes {[*sizes]}; it must lie in "
                f"[{-count}, {count - 1}]"
            )
    found = []
    with _engine.DisposeScope(op) as scope:
        left = _engine.where(left < 0, left + count, left)
        for size in reversed(sizes):
            found.append(left % max(size, 1))
            left = left.div(max(size, 1), rounding_mode="floor")
        scope.move_to_outer(*found)
    return tuple(reversed(found))


@takes_axis
def renorm(
    input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None
) -> Tensor:
    """Return `input` with those of its parts along `dim` shortened whose norm is above a bound.

    Args:
        input: Floating tensor of at least two dims.
        p: The norm's power, above 0.
        dim: Which parts: `input.select(dim, i)`.
        maxnorm: The bound, 0 or more.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes. Until backward the graph keeps `input`.

    Raises:
        ShapeError: There are fewer than two dims.
        IndexOutOfRangeError: There is no such dim.
        DTypeError: `input` is not floating.
        ValueError: `p` is not above 0, or `maxnorm` negative.
        TypeError: An argument is of another type.
        DisposedError: The tensor is disposed.

    >>> gb.renorm(gb.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    if count_of_blocks():
        (input,) = as_listed("renorm", input)
    op = "renorm"
    x = check.tensor(op, "input", input)
    power, most = check.worth(op, "p", p), check.worth(op, "maxnorm", maxnorm)
    along = check.integer(op, "dim", dim)
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise DTypeError(f"{op}: dtype {x.dtype}; a floating or complex dtype is needed")
    if x.ndim < 2:
        raise ShapeError(f"{op}: sizes {[*x.shape]}; two dims or more are needed")
    if not -x.ndim <= along < x.ndim:
        raise IndexOutOfRangeError(
            f"{op}: dim {along} of a tensor of {x.ndim} dims; it must lie in "
            f"[{-x.ndim}, {x.ndim - 1}]"
        )
    if not power > 0 or not most >= 0:
        raise ArgumentError(f"{op}: p {power}, maxnorm {most}; above 0, and 0 or more, are needed")
    others = [at for at in range(x.ndim) if at != along % x.ndim]
    with _engine.DisposeScope(op) as scope:
        lengths = x.norm(power, dim=others, keepdim=True)
        factor = _engine.where(lengths > most, most / (lengths + 1e-7), 1.0)
        return written(op, scope.move_to_outer(x.contiguous() * factor), out)


def _renorm_(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Write what `renorm` returns into the tensor.

    Args:
        p: As for `renorm`, as both others.
        dim: Likewise.
        maxnorm: Likewise.

    Returns:
        The tensor itself.

    Raises:
        ShapeError: There are fewer than two dims.
        IndexOutOfRangeError: There is no such dim.
        DTypeError: It is not floating.
        GradientError: A leaf that requires grad is written.
        ValueError: `p` is not above 0, or `maxnorm` negative.
        TypeError: An argument is of another type.
        DisposedError: The tensor is disposed.

    >>> gb.tensor([[3.0, 4.0]]).renorm_(2, 0, 1)
    tensor([[0.6000, 0.8000]])
    """
    given = check.tensor("renorm_", "input", self)
    return given.copy_(renorm(given.clone() if given.requires_grad else given, p, dim, maxnorm))


@shown_as("histogram")
class CountsAndEdges(NamedTuple):
    """What `histogram` returns."""

    hist: Tensor
    bin_edges: Tensor


def histogram(
    input: Tensor,
    bins: int | Tensor,
    *,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> CountsAndEdges:
    """Count numbers by bins, and return the bins' edges, too.

    Args:
        input: float32 or float64 tensor of any sizes.
        bins: How many of the same width; or a tensor of ascending edges, one more than bins.
        range: Where the first begins and the last ends; the least and the largest number where it
            is left out. Numbers outside are not counted; the last bin has its upper edge.
        weight: What each number counts, of `input`'s sizes and dtype.
        density: True divides so that the bins' areas add up to 1.

    Returns:
        A pair with the fields `hist` [bins] and `bin_edges` [bins + 1], of `input`'s dtype.

    Raises:
        ShapeError: `weight` has other sizes, or there is no bin.
        DTypeError: `input` is neither float32 nor float64, or dtypes differ.
        ValueError: A `range` with edges in `bins`, or one that does not ascend or is not finite.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.histogram(gb.tensor([1.0, 2.0, 1.0]), 4, range=(0.0, 4.0)).hist
    tensor([0., 2., 1., 0.])
    """
    op = "histogram"
    x = check.tensor(op, "input", input).detach().flatten()
    if x.dtype not in (_engine.float32, _engine.float64):
        raise DTypeError(f"{op}: dtype {x.dtype}; float32 or float64 is needed")
    is_dense = check.flag(op, "density", density)
    shares = None
    if weight is not None:
        if check.tensor(op, "weight", weight).shape != input.shape:
            raise ShapeError(
                f"{op}: weight of sizes {[*weight.shape]} for {[*input.shape]}; they must be equal"
            )
        if weight.dtype != x.dtype:
            raise DTypeError(
                f"{op}: weight of dtype {weight.dtype} for {x.dtype}; they must be equal"
            )
        shares = weight.detach().flatten()
    with _engine.DisposeScope(op) as scope:
        edges = _edges(op, x, bins, range)
        count = len(edges) - 1
        places = _engine.searchsorted(edges, x, right=True) - 1
        places = _engine.where(x == edges[-1], count - 1, places)
        is_inside = (x >= edges[0]) & (x <= edges[-1])
        shares = _engine.ones_like(x) if shares is None else shares
        hist = _engine.zeros(count, dtype=x.dtype, device=x.device)
        hist = hist.index_add(0, places[is_inside], shares[is_inside])
        if is_dense:
            hist = hist / hist.sum() / edges.diff()
        scope.move_to_outer(hist, edges)
    return CountsAndEdges(hist, edges)


@shown_as("histogramdd")
class CountsAndEdgesOfAll(NamedTuple):
    """What `histogramdd` returns."""

    hist: Tensor
    bin_edges: tuple[Tensor, ...]


def histogramdd(
    input: Tensor,
    bins: int | Sequence[int] | Sequence[Tensor],
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> CountsAndEdgesOfAll:
    """Count points by bins of several dims, and return the bins' edges, too.

    Args:
        input: float32 or float64 tensor [..., dims]: the coordinates of each point.
        bins: How many of the same width, in each dim or one a dim; or a tensor of ascending edges
            a dim.
        range: Where the first bin begins and the last ends, dim by dim; the least and the largest
            coordinates where it is left out. Points outside are not counted.
        weight: What each point counts, of `input`'s sizes without the last dim and of its dtype.
        density: True divides so that the bins' volumes add up to 1.

    Returns:
        A pair with the fields `hist` [bins of each dim] and `bin_edges`, a tuple of tensors.

    Raises:
        ShapeError: `input` has no dims, points have more than 8, or other sizes differ.
        DTypeError: `input` is neither float32 nor float64, or dtypes differ.
        ValueError: A `range` beside edges, or one that does not ascend or is not finite.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.histogramdd(gb.tensor([[0.0, 1.0], [1.0, 1.0]]), 2, range=(0.0, 2.0, 0.0, 2.0)).hist
    tensor([[0., 1.],
            [0., 1.]])
    """
    op = "histogramdd"
    if not check.tensor(op, "input", input).ndim:
        raise ShapeError(f"{op}: an input of sizes []; [..., dims] are needed")
    points = input.detach().reshape(-1, input.shape[-1])
    if points.dtype not in (_engine.float32, _engine.float64):
        raise DTypeError(f"{op}: an input of dtype {points.dtype}; float32 or float64 is needed")
    dims = points.shape[1]
    if dims > 8:
        raise ShapeError(f"{op}: points of {dims} dims; at most 8 can be counted, as a tensor has")
    each: list[Any] = items_of(bins) if isinstance(bins, (list, tuple)) else [bins] * dims
    ends = None
    if range is not None:
        refuse_unless_list(op, "range", range, "numbers")
        ends = items_of(range)
    if len(each) != dims or (ends is not None and len(ends) != 2 * dims):
        raise ShapeError(f"{op}: bins or a range for other than {dims} dims; as many are needed")
    shares = points.new_ones(points.shape[0])
    if weight is not None:
        shares = check.tensor(op, "weight", weight).detach().reshape(-1)
        if weight.shape != input.shape[:-1] or weight.dtype != input.dtype:
            raise ShapeError(
                f"{op}: weight of sizes {[*weight.shape]} and {weight.dtype}; "
                f"{[*input.shape[:-1]]} and {input.dtype} are needed"
            )
    with _engine.DisposeScope(op) as scope:
        flat = points.new_zeros(points.shape[0], dtype=_engine.int64)
        is_inside = points.new_ones(points.shape[0], dtype=_engine.bool)
        all_edges: list[Tensor] = []
        for dim, x in enumerate(points.unbind(1)):
            ours = None if ends is None else (ends[2 * dim], ends[2 * dim + 1])
            edges = _edges(op, x, each[dim], ours)
            places = _engine.searchsorted(edges, x.contiguous(), right=True) - 1
            places = _engine.where(x == edges[-1], len(edges) - 2, places)
            is_inside = is_inside & (x >= edges[0]) & (x <= edges[-1])
            flat = flat * (len(edges) - 1) + places
            all_edges.append(edges)
        sizes = [len(it) - 1 for it in all_edges]
        hist = points.new_zeros(prod(sizes)).index_add(0, flat[is_inside], shares[is_inside])
        hist = hist.reshape(sizes)
        if check.flag(op, "density", density):
            hist = hist / hist.sum()
            for dim, edges in enumerate(all_edges):
                hist = hist / edges.diff().reshape(-1, *[1] * (dims - 1 - dim))
        scope.move_to_outer(hist, all_edges)
    return CountsAndEdgesOfAll(hist, tuple(all_edges))


def _edges(op: str, x: Tensor, bins: int | Tensor, range: tuple[float, float] | None) -> Tensor:
    if isinstance(bins, Tensor):
        if range is not None:
            raise ArgumentError(f"{op}: a range beside edges; leave it out")
        if bins.ndim != 1 or len(bins) < 2:
            raise ShapeError(f"{op}: edges of sizes {[*bins.shape]}; [bins + 1] are needed")
        if bins.dtype != x.dtype:
            raise DTypeError(f"{op}: edges of dtype {bins.dtype}, {x.dtype} is needed")
        return bins.detach().clone()
    count = check.count(op, "bins", bins, 1)
    if range is None:
        low, high = (it.item() for it in x.aminmax()) if x.numel() else (0.0, 0.0)
    else:
        low, high = (
            check.worth(op, "range", one) for one in check.of_type(tuple, op, "range", range)
        )
    if not abs(low) + abs(high) < float("inf") or low > high:
        raise ArgumentError(f"{op}: a range from {low} to {high}; finite and ascending is needed")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return _engine.linspace(low, high, count + 1, dtype=x.dtype, device=x.device)


add_methods(
    Tensor,
    {
        "histogram": histogram,
        "index_reduce": index_reduce,
        "index_reduce_": _index_reduce_,
        "renorm": renorm,
        "renorm_": _renorm_,
    },
)

all_overridable(globals())
