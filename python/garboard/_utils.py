"""Private helpers of PyTorch's that programs of several gradients import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor, cat, empty

__all__ = ["_flatten_dense_tensors", "_take_tensors", "_unflatten_dense_tensors"]


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """Return the elements of tensors one behind the other, in one dim.

    >>> from garboard._utils import _flatten_dense_tensors
    >>> _flatten_dense_tensors([gb.ones(1, 2), gb.zeros(1)])
    tensor([1., 1., 0.])
    """
    flat = [check.tensor("_flatten_dense_tensors", "a tensor", it).reshape(-1) for it in tensors]
    return cat(flat) if flat else empty(0)


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return views of one dim, with the sizes of tensors one behind the other.

    Raises:
        ShapeError: It has more elements than the tensors, or fewer.

    >>> from garboard._utils import _unflatten_dense_tensors
    >>> _unflatten_dense_tensors(gb.arange(3), [gb.ones(1, 2), gb.zeros(1)])
    (tensor([[0, 1]]), tensor([2]))
    """
    counts = [it.numel() for it in tensors]
    if flat.ndim != 1 or flat.numel() != sum(counts):
        raise ShapeError(
            f"_unflatten_dense_tensors: sizes {[*flat.shape]}; [{sum(counts)}] are needed"
        )
    parts = flat.split(counts) if counts else ()
    return tuple(part.view(it.shape) for part, it in zip(parts, tensors, strict=True))


def _take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Yield tensors in lists of one dtype, each of as few bytes as reach no more than a limit.

    A tensor that is larger than the limit comes in a list of its own.

    >>> from garboard._utils import _take_tensors
    >>> [len(part) for part in _take_tensors([gb.zeros(2), gb.zeros(2), gb.zeros(9)], 16)]
    [2, 1]
    """
    waiting: dict[object, list[Tensor]] = {}
    for tensor in tensors:
        kind = check.tensor("_take_tensors", "a tensor", tensor).dtype
        part = waiting.setdefault(kind, [])
        if part and sum(it.nbytes for it in part) + tensor.nbytes > size_limit:
            yield part
            part = waiting[kind] = []
        part.append(tensor)
    yield from (part for part in waiting.values() if part)
