"""Private helpers of PyTorch's that programs of several gradients import."""

from __future__ import annotations

from collections.abc import Sequence

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor, cat, empty

__all__ = ["_flatten_dense_tensors", "_unflatten_dense_tensors"]


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
