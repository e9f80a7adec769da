"""Elements of a sparse tensor by their numbers along a dim."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, Tensor
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
        return SparseTensor(self._places.clone(), told, sizes)
    which, taken = _pairs(numbers, self._places[at])
    places = self._places.index_select(1, taken)
    places[at] = which
    return SparseTensor(places, self._told.index_select(0, taken), sizes)


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


_methods: dict[str, Any] = {"index_select": index_select}
add_methods(SparseTensor, _methods)
