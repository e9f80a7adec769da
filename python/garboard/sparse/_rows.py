"""A sparse matrix told row by row: where each row's elements begin, and their columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import sparse_csr
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor
from garboard._native import add_methods
from garboard.sparse._made import to_sparse
from garboard.sparse._tensor import SparseTensor

if TYPE_CHECKING:
    from garboard._arguments.layouts import layout
    from garboard.types import Device, DType

__all__ = ["SparseCsrTensor", "sparse_csr_tensor", "to_sparse_csr"]


class SparseCsrTensor(SparseTensor):
    """A sparse matrix by rows (compressed sparse rows). `gb.sparse_csr_tensor` makes it.

    It is a SparseTensor whose places are in order, and does what that does.

    >>> x = gb.sparse_csr_tensor([0, 1, 3], [1, 0, 1], [2.0, 3.0, 4.0])
    >>> x.to_dense()
    tensor([[0., 2.],
            [3., 4.]])
    """

    __slots__ = ()

    is_sparse = False
    is_sparse_csr = True

    @property
    def layout(self) -> layout:
        """`gb.sparse_csr`."""
        return sparse_csr

    def crow_indices(self) -> Tensor:
        """Return where the elements of each row begin, and where the last ones end.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.crow_indices()
        tensor([0, 1, 2])
        """
        counts = _engine.bincount(self._places[0], minlength=self._sizes[0]).cumsum(0)
        return _engine.cat([counts.new_zeros(1), counts])

    def col_indices(self) -> Tensor:
        """Return the column of each element.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.col_indices()
        tensor([0, 1])
        """
        return self._places[1].clone()

    def indices(self) -> NoReturn:
        """Refuse: places are told row by row.

        Raises:
            RuntimeError: Always.

        >>> try:
        ...     gb.eye(2).to_sparse_csr().indices()
        ... except RuntimeError as error:
        ...     print(str(error).partition(";")[0])
        indices: a matrix by rows
        """
        raise ArgumentError("indices: a matrix by rows; crow_indices() and col_indices() tell them")

    def _with(self, values: Tensor, is_coalesced: bool | None = None) -> SparseTensor:
        return SparseCsrTensor(self._places, values, self._sizes, True)

    def to_sparse(self) -> SparseTensor:  # type: ignore[override]
        """Return the same by coordinates.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.to_sparse().layout
        garboard.sparse_coo
        """
        return SparseTensor(self._places, self._told, self._sizes, True)

    to_sparse_coo = to_sparse

    def to_sparse_csr(self) -> SparseCsrTensor:
        """Return itself.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.to_sparse_csr() is x
        True
        """
        return self

    def __repr__(self) -> str:
        parts = (
            f"crow_indices={self.crow_indices()}",
            f"col_indices={self._places[1]}",
            f"values={self._told.detach()}",
        )
        grad = ", requires_grad=True" if self.requires_grad else ""
        inner = ",\n       ".join(part.replace("\n", "\n" + " " * 15) for part in parts)
        return (
            f"tensor({inner}, size={tuple(self._sizes)}, nnz={self._nnz()},\n       "
            f"layout=garboard.sparse_csr{grad})"
        )


def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseCsrTensor:
    """Make a sparse matrix of rows: where each begins, the columns and the values.

    Args:
        crow_indices: Whole numbers, one more than rows: from 0 to how many values there are.
        col_indices: Whole numbers [count].
        values: [count], a tensor or data; gradients flow to a tensor.
        size: Rows and columns; the least that hold them by default.
        dtype: The values'; by default theirs.
        device: Where; by default where the values are.
        requires_grad: Ask for gradients: of the values, which are detached then.
        check_invariants: Ignored: rows and columns are always checked.

    Returns:
        A SparseCsrTensor.

    Raises:
        ShapeError: Sizes that do not fit each other, or rows that begin before others.
        IndexOutOfRangeError: A column outside the sizes.
        DTypeError: Columns that are no whole numbers.

    >>> gb.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0], (2, 2)) @ gb.ones(2)
    tensor([1., 2.])
    """
    op = "sparse_csr_tensor"
    begins, columns = (
        _engine.as_tensor(it).to(_engine.int64) for it in (crow_indices, col_indices)
    )
    told = values if isinstance(values, Tensor) else _engine.as_tensor(values)
    counts = begins.diff() if begins.ndim == 1 and begins.numel() else begins
    if (
        begins.ndim != 1
        or columns.ndim != 1
        or not begins.numel()
        or told.shape[:1] != columns.shape
        or int(begins[0]) != 0
        or int(begins[-1]) != columns.numel()
        or (counts.numel() and int(counts.min()) < 0)
    ):
        raise ShapeError(
            f"{op}: crow_indices of sizes {[*begins.shape]}, col_indices of {[*columns.shape]}, "
            f"values of {[*told.shape]}; where rows begin, from 0 to how many values there are, "
            "and a column for each value are needed"
        )
    if size is None:
        size = [counts.numel(), int(columns.max()) + 1 if columns.numel() else 0]
    rows, width = check.sizes(op, "size", size) if len(size) == 2 else (-1, -1)
    if rows != counts.numel():
        raise ShapeError(f"{op}: size {[*size]} for {counts.numel()} rows; they do not fit")
    if columns.numel() and not 0 <= int(columns.min()) <= int(columns.max()) < width:
        raise IndexOutOfRangeError(f"{op}: columns beyond 0 to {width - 1}")
    told = told.to(dtype=dtype or told.dtype, device=device or told.device)
    if requires_grad:
        told = told.detach().requires_grad_()
    in_rows = _engine.repeat_interleave(_engine.arange(rows), counts)
    return SparseCsrTensor(_engine.stack([in_rows, columns]).to(told.device), told, size, True)


def to_sparse_csr(self: Tensor | SparseTensor, dense_dim: int | None = None) -> SparseCsrTensor:
    """Return the sparse matrix by rows of the elements that are not zero.

    Args:
        self: A matrix, dense or sparse.
        dense_dim: None, or 0: elements are numbers.

    Returns:
        A SparseCsrTensor; gradients flow to this one.

    Raises:
        ShapeError: Other than two dims.

    >>> gb.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse_csr().col_indices()
    tensor([1, 0])
    """
    if not isinstance(self, SparseTensor):
        check.tensor("to_sparse_csr", "self", self)
    if self.ndim != 2 or dense_dim:
        raise ShapeError(f"to_sparse_csr: sizes {[*self.shape]}; two dims, all sparse, are needed")
    by_places = (to_sparse(self) if isinstance(self, Tensor) else self).coalesce()
    return SparseCsrTensor(by_places._places, by_places._told, by_places.shape, True)


add_methods(Tensor, {"to_sparse_csr": to_sparse_csr})
add_methods(SparseTensor, {"to_sparse_csr": to_sparse_csr})
