"""Sparse matrices told row by row or column by column, by elements or by blocks of them.

Each is a SparseTensor whose places lie in that order: the arithmetic is that one's, and where rows
begin is counted when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from garboard import _engine
from garboard._arguments import layouts
from garboard._arguments.errors import ArgumentError
from garboard._engine import Tensor
from garboard.sparse._shown import options_text, parts_text
from garboard.sparse._tensor import SparseTensor

if TYPE_CHECKING:
    from garboard._arguments.layouts import layout

__all__ = [
    "Compressed",
    "SparseBscTensor",
    "SparseBsrTensor",
    "SparseCscTensor",
    "SparseCsrTensor",
    "order_by",
]


class Compressed(SparseTensor):
    """A matrix by rows or by columns, of which there are four kinds."""

    __slots__ = ()

    is_sparse = False
    _along: ClassVar[int] = 0  # the dim that is counted: 0 by rows, 1 by columns
    _names: ClassVar[tuple[str, str]] = ("crow_indices", "col_indices")

    def _firsts(self, dim: int) -> Tensor:
        """The place of each element, or of each block among blocks, in a dim."""
        row = self._places[dim]
        if self._block is None:
            return row.clone()
        high, wide = self._block
        return row.view(-1, high * wide)[:, 0].div(self._block[dim], rounding_mode="floor")

    def _begins(self) -> Tensor:
        size = self._sizes[self._along] // (self._block or (1, 1))[self._along]
        counts = _engine.bincount(self._firsts(self._along), minlength=size).cumsum(0)
        return _engine.cat([counts.new_zeros(1), counts])

    def _nnz(self) -> int:
        high, wide = self._block or (1, 1)
        return self._places.shape[1] // max(high * wide, 1)

    def values(self) -> Tensor:
        """Return the values, [count], or those of each block; gradients flow through them.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.values()
        tensor([1., 1.])
        """
        return self._told.alias() if self._block is None else self._told.view(-1, *self._block)

    def indices(self) -> NoReturn:
        """Refuse: places are told row by row, or column by column.

        Raises:
            RuntimeError: Always.

        >>> try:
        ...     gb.eye(2).to_sparse_csr().indices()
        ... except RuntimeError as error:
        ...     print(str(error).partition(";")[0])
        indices: a matrix in the layout garboard.sparse_csr
        """
        first, second = self._names
        raise ArgumentError(
            f"indices: a matrix in the layout {self.layout}; {first}() and {second}() tell them"
        )

    def _by_places(self) -> SparseTensor:
        is_ordered = self._along == 0 and self._block is None
        return SparseTensor(self._places, self._told, self._sizes, is_ordered)

    def _like(self, made: SparseTensor) -> SparseTensor:
        return order_by(type(self), made, self._block)

    def is_coalesced(self) -> bool:
        """Refuse: each place is told once in any case.

        Returns:
            Nothing.

        Raises:
            RuntimeError: Always.

        >>> try:
        ...     gb.eye(2).to_sparse_csr().is_coalesced()
        ... except RuntimeError as error:
        ...     print(str(error).partition(":")[0])
        is_coalesced
        """
        raise ArgumentError(
            f"is_coalesced: a matrix in the layout {self.layout}; one by coordinates is needed"
        )

    def coalesce(self) -> SparseTensor:
        """Return the same by coordinates, in order.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.coalesce().layout
        garboard.sparse_coo
        """
        return self._by_places().coalesce()

    def transpose(self, dim0: int, dim1: int) -> SparseTensor:
        """Return the transposed matrix, by columns where this one is by rows; values are shared.

        Args:
            dim0: One of the two dims.
            dim1: The other.

        Returns:
            A matrix; itself where both are one dim.

        Raises:
            IndexOutOfRangeError: No dim of that number.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.transpose(0, 1).layout
        garboard.sparse_csc
        """
        turned = self._by_places().transpose(dim0, dim1)
        if dim0 % self.ndim == dim1 % self.ndim:
            return self
        block = None if self._block is None else self._block[::-1]
        told = self._told
        places = turned._places
        if block is not None:  # the elements of a block lie row by row
            order = _engine.arange(told.numel(), device=told.device)
            order = order.view(-1, block[1], block[0]).mT.flatten()
            told, places = told.index_select(0, order), places.index_select(1, order)
        return _TURNED[type(self)](places, told, turned.shape, False, block)

    def to_sparse_coo(self) -> SparseTensor:
        """Return the same by coordinates.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.to_sparse_coo().layout
        garboard.sparse_coo
        """
        return self._by_places()

    def __repr__(self) -> str:
        first, second = self._names
        told = {first: self._begins(), second: self._firsts(1 - self._along)}
        inner = ",\n       ".join(parts_text(**told, values=self.values()))
        rest = options_text(self, "\n       ")
        return f"tensor({inner}, size={tuple(self._sizes)}, nnz={self._nnz()}{rest})"


class SparseCsrTensor(Compressed):
    """A sparse matrix by rows (compressed sparse rows). `gb.sparse_csr_tensor` makes it.

    It is a SparseTensor whose places are in order, and does what that does.

    >>> x = gb.sparse_csr_tensor([0, 1, 3], [1, 0, 1], [2.0, 3.0, 4.0])
    >>> x.to_dense()
    tensor([[0., 2.],
            [3., 4.]])
    """

    __slots__ = ()

    is_sparse_csr = True

    @property
    def layout(self) -> layout:
        """`gb.sparse_csr`."""
        return layouts.sparse_csr

    def crow_indices(self) -> Tensor:
        """Return where the elements of each row begin, and where the last ones end.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.crow_indices()
        tensor([0, 1, 2])
        """
        return self._begins()

    def col_indices(self) -> Tensor:
        """Return the column of each element.

        >>> x = gb.eye(2).to_sparse_csr()
        >>> x.col_indices()
        tensor([0, 1])
        """
        return self._firsts(1)


class SparseCscTensor(Compressed):
    """A sparse matrix by columns (compressed sparse columns). `gb.sparse_csc_tensor` makes it.

    >>> x = gb.sparse_csc_tensor([0, 1, 3], [1, 0, 1], [2.0, 3.0, 4.0])
    >>> x.to_dense()
    tensor([[0., 3.],
            [2., 4.]])
    """

    __slots__ = ()

    _along = 1
    _names = ("ccol_indices", "row_indices")

    @property
    def layout(self) -> layout:
        """`gb.sparse_csc`."""
        return layouts.sparse_csc

    def ccol_indices(self) -> Tensor:
        """Return where the elements of each column begin, and where the last ones end.

        >>> x = gb.eye(2).to_sparse_csc()
        >>> x.ccol_indices()
        tensor([0, 1, 2])
        """
        return self._begins()

    def row_indices(self) -> Tensor:
        """Return the row of each element.

        >>> x = gb.eye(2).to_sparse_csc()
        >>> x.row_indices()
        tensor([0, 1])
        """
        return self._firsts(0)


class SparseBsrTensor(Compressed):
    """A sparse matrix by rows of blocks. `gb.sparse_bsr_tensor` makes it.

    >>> x = gb.sparse_bsr_tensor([0, 1], [1], [[[1.0, 2.0]]], (1, 4))
    >>> x.to_dense()
    tensor([[0., 0., 1., 2.]])
    """

    __slots__ = ()

    @property
    def layout(self) -> layout:
        """`gb.sparse_bsr`."""
        return layouts.sparse_bsr

    def crow_indices(self) -> Tensor:
        """Return where the blocks of each row of blocks begin, and where the last ones end.

        >>> gb.eye(4).to_sparse_bsr((2, 2)).crow_indices()
        tensor([0, 1, 2])
        """
        return self._begins()

    def col_indices(self) -> Tensor:
        """Return the column of each block, in blocks.

        >>> gb.eye(4).to_sparse_bsr((2, 2)).col_indices()
        tensor([0, 1])
        """
        return self._firsts(1)


class SparseBscTensor(Compressed):
    """A sparse matrix by columns of blocks. `gb.sparse_bsc_tensor` makes it.

    >>> x = gb.sparse_bsc_tensor([0, 0, 1], [0], [[[1.0, 2.0]]], (1, 4))
    >>> x.to_dense()
    tensor([[0., 0., 1., 2.]])
    """

    __slots__ = ()

    _along = 1
    _names = ("ccol_indices", "row_indices")

    @property
    def layout(self) -> layout:
        """`gb.sparse_bsc`."""
        return layouts.sparse_bsc

    def ccol_indices(self) -> Tensor:
        """Return where the blocks of each column of blocks begin, and where the last ones end.

        >>> gb.eye(4).to_sparse_bsc((2, 2)).ccol_indices()
        tensor([0, 1, 2])
        """
        return self._begins()

    def row_indices(self) -> Tensor:
        """Return the row of each block, in blocks.

        >>> gb.eye(4).to_sparse_bsc((2, 2)).row_indices()
        tensor([0, 1])
        """
        return self._firsts(0)


_TURNED: dict[type, Callable[..., SparseTensor]] = {
    SparseCsrTensor: SparseCscTensor,
    SparseCscTensor: SparseCsrTensor,
    SparseBsrTensor: SparseBscTensor,
    SparseBscTensor: SparseBsrTensor,
}


def order_by(kind: Any, given: SparseTensor, block: tuple[int, int] | None) -> Compressed:
    """The elements of a matrix in the order of one of the kinds; gradients flow to it."""
    it = given._by_places().coalesce()
    places, told, sizes = it._indices(), it._values(), it.shape
    along = kind._along
    if block is not None:
        places, told = _in_blocks(places, told, sizes, block, along)
    elif along == 1:
        order = (places[1] * max(sizes[0], 1) + places[0]).argsort()
        places, told = places.index_select(1, order), told.index_select(0, order)
    made: Compressed = kind(places, told, sizes, kind is SparseCsrTensor, block)
    return made


def _in_blocks(
    places: Tensor, told: Tensor, sizes: Any, block: tuple[int, int], along: int
) -> tuple[Tensor, Tensor]:
    """The places and values of all elements of the blocks in which there is one."""
    high, wide = block
    rows, columns = places.unbind(0)
    at = [rows.div(high, rounding_mode="floor"), columns.div(wide, rounding_mode="floor")]
    most = max(sizes[1 - along] // block[1 - along], 1)
    once, which = _engine.unique(at[along] * most + at[1 - along], return_inverse=True)
    firsts = [once.div(most, rounding_mode="floor"), once % most]
    first_row, first_column = firsts if along == 0 else firsts[::-1]
    inner = _engine.arange(high * wide, device=told.device)
    in_rows = first_row.unsqueeze(1) * high + inner.div(wide, rounding_mode="floor")
    in_columns = first_column.unsqueeze(1) * wide + inner % wide
    number = which * (high * wide) + (rows % high) * wide + columns % wide
    zeros = told.new_zeros([once.numel() * high * wide])
    filled = (
        zeros.long().index_add(0, number, told.long()).bool()
        if told.dtype == _engine.bool
        else zeros.index_add(0, number, told)
    )
    return _engine.stack([in_rows.flatten(), in_columns.flatten()], 0), filled
