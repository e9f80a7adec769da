"""Elements of a sparse tensor by their numbers along a dim."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, IndexTypeError, ShapeError, Tensor
from garboard._native import add_methods
from garboard.sparse import _products
from garboard.sparse._tensor import SparseTensor

__all__ = ["index_select"]


def index_select(self: SparseTensor, dim: int, index: Tensor) -> SparseTensor:
    """Return the slices of the given numbers along a dim, by coordinates.

    Args:
        self: A sparse tensor.
        dim: Along which.
        index: Whole numbers [count], in any order and more than once; -1 is the last.

    Returns:
        A SparseTensor of size `count` there; gradients flow to this one.

    Raises:
        IndexOutOfRangeError: No dim of that number, or no slice; an index of other than one dim.

    >>> x = gb.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse()
    >>> x.index_select(0, gb.tensor([1, 1, 0])).to_dense().tolist()
    [[2.0, 0.0], [2.0, 0.0], [0.0, 1.0]]
    """
    op = "index_select"
    kept, self = self, self._by_places()
    at = _products.place_of(op, dim, self.ndim)
    wanted = check.tensor(op, "index", index)
    if wanted.ndim != 1 or wanted.dtype not in (_engine.int64, _engine.int32):
        raise IndexOutOfRangeError(
            f"{op}: index of sizes {[*wanted.shape]} and dtype {wanted.dtype}; whole numbers in "
            "one dim are needed"
        )
    sizes = list(self._sizes)
    numbers = _from_the_start(op, wanted.long(), at, sizes[at])
    sizes[at] = numbers.numel()
    if at >= self.sparse_dim():
        told = self._told.index_select(at - self.sparse_dim() + 1, numbers)
        return kept._like(SparseTensor(self._places.clone(), told, sizes))
    which, taken = _pairs(numbers, self._places[at])
    places = self._places.index_select(1, taken)
    places[at] = which
    return kept._like(SparseTensor(places, self._told.index_select(0, taken), sizes))


def _from_the_start(op: str, numbers: Tensor, at: int, size: int) -> Tensor:
    far = numbers[(numbers < -size) | (numbers >= size)]
    if far.numel():
        raise IndexOutOfRangeError(
            f"{op}: index {shown(int(far[0]))} in dim {shown(at)} of size {shown(size)}; one in "
            f"[{shown(-size)}, {shown(size)}) is needed"
        )
    return _engine.where(numbers < 0, numbers + size, numbers)


def _pairs(numbers: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
    """By the place in `numbers`, then in `row`: both places where the two are equal."""
    order = row.argsort(stable=True)
    ordered = row[order]
    begins = _engine.searchsorted(ordered, numbers)
    counts = _engine.searchsorted(ordered, numbers, right=True) - begins
    which = _engine.arange(numbers.numel(), device=row.device).repeat_interleave(counts)
    passed = (counts.cumsum(0) - counts)[which]
    steps = _engine.arange(which.numel(), device=row.device) - passed
    return which, order[begins[which] + steps]


def select(self: SparseTensor, dim: int, index: int) -> Any:
    """Return one slice along a dim: sparse, or dense where no sparse dim is left.

    Args:
        self: A sparse tensor.
        dim: Along which.
        index: Which; -1 is the last.

    Returns:
        A SparseTensor by coordinates, or a Tensor; gradients flow to this one.

    Raises:
        IndexOutOfRangeError: No dim of that number, or no slice.

    >>> x = gb.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse()
    >>> x.select(1, 0).to_dense()
    tensor([0., 2.])
    """
    op, given = "select", self._by_places()
    at, sizes = _products.place_of(op, dim, given.ndim), list(given.shape)
    number = check.integer(op, "index", index)
    size = sizes.pop(at)
    if not -size <= number < size:
        raise IndexOutOfRangeError(
            f"{op}: index {shown(number)} in dim {at} of size {shown(size)}; one in "
            f"[{shown(-size)}, {shown(size)}) is needed"
        )
    number += size if number < 0 else 0
    first = given.sparse_dim()
    if at >= first:
        told = given._told.select(at - first + 1, number)
        return SparseTensor(given._places, told, sizes, given._is_coalesced)
    which = (given._places[at] == number).nonzero().squeeze(1)
    told = given._told.index_select(0, which)
    if first == 1:
        return told.sum(0, dtype=told.dtype) if told.dtype != _engine.bool else told.any(0)
    kept = _engine.tensor([row for row in range(first) if row != at], device=given.device)
    places = given._places.index_select(0, kept).index_select(1, which)
    return SparseTensor(places, told, sizes, given._is_coalesced)


def unbind(self: SparseTensor, dim: int = 0) -> tuple[Any, ...]:
    """Return all slices along a dim, as `select` gives them.

    Args:
        self: A sparse tensor.
        dim: Along which.

    Returns:
        A tuple.

    Raises:
        IndexOutOfRangeError: No dim of that number.

    >>> x = gb.eye(2).to_sparse()
    >>> [row.to_dense().tolist() for row in x.unbind()]
    [[1.0, 0.0], [0.0, 1.0]]
    """
    at = _products.place_of("unbind", dim, self.ndim)
    return tuple(select(self, at, number) for number in range(self.shape[at]))


def unsqueeze(self: SparseTensor, dim: int) -> SparseTensor:
    """Return one with a dim of size 1 more; the values are shared.

    Args:
        self: A sparse tensor.
        dim: Where it is to be.

    Returns:
        A SparseTensor by coordinates: the dim is sparse, unless it is behind a dense one.

    Raises:
        IndexOutOfRangeError: No such place.

    >>> x = gb.eye(2).to_sparse()
    >>> x.unsqueeze(0).shape
    (1, 2, 2)
    """
    given = self._by_places()
    at, sizes = _products.place_of("unsqueeze", dim, given.ndim + 1), list(given.shape)
    sizes.insert(at, 1)
    first = given.sparse_dim()
    if at > first:
        told = given._told.unsqueeze(at - first + 1)
        return SparseTensor(given._places, told, sizes, given._is_coalesced)
    rows = list(given._places.unbind(0))
    rows.insert(at, _engine.zeros(given._nnz(), dtype=_engine.int64, device=given.device))
    return SparseTensor(_engine.stack(rows, 0), given._told, sizes, given._is_coalesced)


def permute(self: SparseTensor, *dims: Any) -> SparseTensor:
    """Return one with its dims in another order: sparse ones among each other, dense ones too.

    Args:
        self: A sparse tensor.
        *dims: The number of each dim, one by one or in a list.

    Returns:
        A SparseTensor by coordinates; the values are shared.

    Raises:
        ShapeError: Not every dim once, or sparse dims behind dense ones.
        IndexOutOfRangeError: No dim of that number.

    >>> x = gb.sparse_coo_tensor([[0], [1], [2]], [1.0], (1, 2, 3))
    >>> x.permute(2, 0, 1).shape
    (3, 1, 2)
    """
    op, given = "permute", self._by_places()
    told = dims[0] if len(dims) == 1 and isinstance(dims[0], (list, tuple)) else dims
    order = [_products.place_of(op, dim, given.ndim) for dim in told]
    first = given.sparse_dim()
    if sorted(order) != list(range(given.ndim)) or sorted(order[:first]) != list(range(first)):
        raise ShapeError(
            f"{op}: dims {shown(list(told))} of a tensor of {first} sparse dims and "
            f"{given.dense_dim()} dense ones; each once, the sparse ones first, are needed"
        )
    rows = _engine.tensor(order[:first], dtype=_engine.int64, device=given.device)
    values = given._told.permute(0, *(dim - first + 1 for dim in order[first:]))
    is_kept = order == sorted(order) and given._is_coalesced
    sizes = [given.shape[dim] for dim in order]
    return SparseTensor(given._places.index_select(0, rows), values, sizes, is_kept)


def _sliced(x: SparseTensor, dim: int, part: slice) -> SparseTensor:
    begin, end, step = part.indices(x.shape[dim])
    if step == 1:
        return x if end - begin == x.shape[dim] else x.narrow_copy(dim, begin, max(end - begin, 0))
    return index_select(x, dim, _engine.arange(begin, max(end, begin), step, device=x.device))


def _item(self: SparseTensor, index: Any) -> Any:
    """What integers, slices, None, ... and one list or tensor of numbers choose."""
    given = list(index) if isinstance(index, tuple) else [index]
    kinds = (int, slice, list, Tensor, type(None), type(...))
    bad = [it for it in given if not isinstance(it, kinds) or isinstance(it, bool)]
    if bad or sum(it is ... for it in given) > 1:
        raise IndexTypeError(
            f"index: an index of type {type(bad[0] if bad else ...).__name__} for a sparse tensor; "
            "integers, slices, None, one ... and tensors and lists of integers are taken"
        )
    whole: Any = self._by_places()
    if ... not in [it if it is ... else None for it in given]:
        given.append(...)
    place = next(number for number, it in enumerate(given) if it is ...)
    told = sum(it is not None and it is not ... for it in given)
    if told > whole.ndim:
        raise IndexOutOfRangeError(
            f"index: {told} indices for a sparse tensor of {whole.ndim} dims; no more are taken"
        )
    given[place : place + 1] = [slice(None)] * (whole.ndim - told)
    at = 0
    for number, it in enumerate(given):
        if not _products.is_sparse(whole):  # no sparse dim is left
            return whole[(slice(None),) * at + tuple(given[number:])]
        if it is None:
            whole, at = unsqueeze(whole, at), at + 1
        elif isinstance(it, slice):
            whole, at = _sliced(whole, at, it), at + 1
        elif isinstance(it, int):
            whole = select(whole, at, it)
        else:
            numbers = it if isinstance(it, Tensor) else _engine.tensor(it, dtype=_engine.int64)
            whole = (
                select(whole, at, int(numbers))
                if not numbers.ndim
                else index_select(whole, at, numbers.to(whole.device))
            )
            at += bool(numbers.ndim)
    return whole


_methods: dict[str, Any] = {
    "__getitem__": _item,
    "__iter__": lambda self: iter(unbind(self)),
    "index_select": index_select,
    "permute": permute,
    "select": select,
    "unbind": unbind,
    "unsqueeze": unsqueeze,
}
add_methods(SparseTensor, _methods)
