"""Products of a sparse matrix with a dense one in which a row's terms are not added up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from garboard import _engine
from garboard._arguments.errors import ChoiceError
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor
from garboard.sparse._products import by_dense, is_sparse, refuse_unmet

if TYPE_CHECKING:
    from garboard.sparse._tensor import SparseTensor

__all__ = ["reduced_product"]

_Reduction = Literal["amax", "amin", "mean"]
_CHOICES: dict[str, _Reduction] = {
    "amax": "amax",
    "max": "amax",
    "amin": "amin",
    "min": "amin",
    "mean": "mean",
}


def reduced_product(op: str, matrix: Any, other: Any, reduce: Any) -> Tensor:
    """The sum, mean or extreme of each row's terms; zeros where a row has none."""
    if reduce != "sum" and (not isinstance(reduce, str) or reduce not in _CHOICES):
        raise ChoiceError(
            f"{op}: reduce {shown(reduce)}; 'sum', 'mean', 'amax' or 'amin' is needed"
        )
    if not is_sparse(matrix):
        raise TypeError(
            f"{op}: mat1 is {shown(matrix)}; with reduce, a SparseTensor is needed: "
            "to_sparse_csr() makes one"
        )
    refuse_unmet(op, matrix, other, 1)
    if other.ndim != 2:
        raise ShapeError(f"{op}: mat2 of sizes {[*other.shape]}; with reduce, a matrix is needed")
    if reduce == "sum":
        return by_dense(op, matrix, other)
    rows = matrix._indices()[0]
    counts = _engine.bincount(rows, minlength=matrix.shape[0]).unsqueeze(1)
    if _CHOICES[reduce] == "mean":
        return by_dense(op, matrix, other) / counts.clamp(min=1).to(matrix.dtype)
    return _extremes(matrix, other, counts == 0, _CHOICES[reduce])


def _extremes(matrix: SparseTensor, other: Tensor, bare: Tensor, which: _Reduction) -> Tensor:
    """Each row's greatest or least term: of equal ones the first has the gradient, as it won."""
    rows, columns = matrix._indices().unbind(0)
    terms = other.index_select(0, columns) * matrix._values().unsqueeze(1)
    count, wide = terms.shape
    if not count:
        return other.new_zeros([matrix.shape[0], wide]) + terms.sum(0)
    with no_grad():
        at = rows.unsqueeze(1).expand(count, wide)
        room = terms.new_zeros([matrix.shape[0], wide])
        best = room.scatter_reduce(0, at, terms, which, include_self=False)
        won = (terms == best.index_select(0, rows)) | terms.isnan()
        places = _engine.arange(count, device=terms.device).unsqueeze(1)
        asked = _engine.where(won, places, count)
        firsts = asked.new_full(room.shape, count).scatter_reduce(0, at, asked, "amin")
    picked = terms.gather(0, firsts.clamp(max=count - 1))
    return picked.masked_fill(bare, 0)
