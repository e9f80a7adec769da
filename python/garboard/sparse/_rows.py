"""How sparse matrices by rows, by columns and by blocks are made, and converted to each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check, layouts
from garboard._arguments.errors import ChoiceError
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor
from garboard._native import add_methods
from garboard.sparse._compressed import (
    Compressed,
    SparseBscTensor,
    SparseBsrTensor,
    SparseCscTensor,
    SparseCsrTensor,
    order_by,
)
from garboard.sparse._made import to_sparse
from garboard.sparse._products import is_sparse
from garboard.sparse._tensor import SparseTensor

if TYPE_CHECKING:
    from garboard._arguments.layouts import layout as _Layout  # noqa: N812
    from garboard.types import Device, DType

__all__ = [
    "sparse_bsc_tensor",
    "sparse_bsr_tensor",
    "sparse_compressed_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
    "to_sparse_bsc",
    "to_sparse_bsr",
    "to_sparse_csc",
    "to_sparse_csr",
]


_LINES = ("rows", "columns")


def _made(
    op: str,
    kind: type[Compressed],
    compressed: Any,
    plain: Any,
    values: Any,
    size: Sequence[int] | None,
    dtype: DType | None,
    device: Device | None,
    requires_grad: bool,
) -> Any:
    """A matrix of what is told of it, all of which is checked."""
    first, second = kind._names
    begins, others = (_engine.as_tensor(it).to(_engine.int64) for it in (compressed, plain))
    told = values if isinstance(values, Tensor) else _engine.as_tensor(values)
    if is_sparse(told):
        raise TypeError(f"{op}: values are a sparse tensor; take to_dense() first")
    has_blocks = kind in (SparseBsrTensor, SparseBscTensor)
    counts = begins.diff() if begins.ndim == 1 and begins.numel() else begins
    if (
        begins.ndim != 1
        or others.ndim != 1
        or not begins.numel()
        or told.shape[:1] != others.shape
        or (told.ndim != 3 if has_blocks else told.ndim < 1)
        or int(begins[0]) != 0
        or int(begins[-1]) != others.numel()
        or (counts.numel() and int(counts.min()) < 0)
    ):
        raise ShapeError(
            f"{op}: {first} of sizes {[*begins.shape]}, {second} of {[*others.shape]}, "
            f"values of {[*told.shape]}; where {_LINES[kind._along]} begin, from 0 to how many "
            f"values there are, and a place in {_LINES[1 - kind._along]} for each are needed"
        )
    block = (told.shape[1], told.shape[2]) if has_blocks else (1, 1)
    inner_sizes = [] if has_blocks else list(told.shape[1:])
    along = kind._along
    if size is None:
        most = int(others.max()) + 1 if others.numel() else 0
        inner = [counts.numel(), most] if along == 0 else [most, counts.numel()]
        size = [inner[0] * block[0], inner[1] * block[1], *inner_sizes]
    sizes = check.sizes(op, "size", size)
    if list(sizes[2:]) != inner_sizes or any(
        by < 1 or one % by for one, by in zip([*sizes[:2], 0, 0], block, strict=False)
    ):
        raise ShapeError(
            f"{op}: size {[*sizes]} for blocks of {[*block]} and values of {[*told.shape]}; two "
            "sizes of whole blocks, then those that each value has, are needed"
        )
    inner = [one // by for one, by in zip(sizes[:2], block, strict=True)]
    if inner[along] != counts.numel():
        raise ShapeError(
            f"{op}: size {[*sizes]} for {counts.numel()} {_LINES[along]}; they do not fit"
        )
    width = inner[1 - along]
    if others.numel() and not 0 <= int(others.min()) <= int(others.max()) < width:
        raise IndexOutOfRangeError(f"{op}: {second} beyond 0 to {width - 1}")
    told = told.to(dtype=dtype or told.dtype, device=device or told.device)
    if requires_grad:
        told = told.detach().requires_grad_()
    lines = _engine.repeat_interleave(_engine.arange(counts.numel()), counts)
    rows, columns = (lines, others) if along == 0 else (others, lines)
    if not has_blocks:
        places = _engine.stack([rows, columns]).to(told.device)
        return kind(places, told, sizes, kind is SparseCsrTensor)
    within = _engine.arange(block[0] * block[1])
    in_rows = rows.unsqueeze(1) * block[0] + within.div(block[1], rounding_mode="floor")
    in_columns = columns.unsqueeze(1) * block[1] + within % block[1]
    places = _engine.stack([in_rows.flatten(), in_columns.flatten()]).to(told.device)
    return kind(places, told.flatten(), sizes, False, block)


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
        check_invariants: Ignored: places are always checked.

    Returns:
        A SparseCsrTensor.

    Raises:
        ShapeError: Sizes that do not fit each other, or rows that begin before others.
        IndexOutOfRangeError: A place outside the sizes.
        DTypeError: Places that are no whole numbers.

    >>> gb.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0], (2, 2)) @ gb.ones(2)
    tensor([1., 2.])
    """
    made: SparseCsrTensor = _made(
        "sparse_csr_tensor",
        SparseCsrTensor,
        crow_indices,
        col_indices,
        values,
        size,
        dtype,
        device,
        requires_grad,
    )
    return made


def sparse_csc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseCscTensor:
    """Make a sparse matrix of columns: where each begins, the rows and the values.

    Args:
        ccol_indices: Whole numbers, one more than columns: from 0 to how many values there are.
        row_indices: Whole numbers [count].
        values: [count], a tensor or data; gradients flow to a tensor.
        size: Rows and columns; the least that hold them by default.
        dtype: The values'; by default theirs.
        device: Where; by default where the values are.
        requires_grad: Ask for gradients: of the values, which are detached then.
        check_invariants: Ignored: places are always checked.

    Returns:
        A SparseCscTensor.

    Raises:
        ShapeError: Sizes that do not fit each other, or columns that begin before others.
        IndexOutOfRangeError: A place outside the sizes.
        DTypeError: Places that are no whole numbers.

    >>> gb.sparse_csc_tensor([0, 1, 2], [0, 1], [1.0, 2.0], (2, 2)) @ gb.ones(2)
    tensor([1., 2.])
    """
    made: SparseCscTensor = _made(
        "sparse_csc_tensor",
        SparseCscTensor,
        ccol_indices,
        row_indices,
        values,
        size,
        dtype,
        device,
        requires_grad,
    )
    return made


def sparse_bsr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseBsrTensor:
    """Make a sparse matrix of rows of blocks: where each begins, the columns and the values.

    Args:
        crow_indices: Whole numbers, one more than rows of blocks: from 0 to how many are told.
        col_indices: Whole numbers [count].
        values: [count, *sizes of a block], a tensor or data; gradients flow to a tensor.
        size: Rows and columns; the least that hold them by default.
        dtype: The values'; by default theirs.
        device: Where; by default where the values are.
        requires_grad: Ask for gradients: of the values, which are detached then.
        check_invariants: Ignored: places are always checked.

    Returns:
        A SparseBsrTensor.

    Raises:
        ShapeError: Sizes that do not fit each other, or rows of blocks that begin before others.
        IndexOutOfRangeError: A place outside the sizes.
        DTypeError: Places that are no whole numbers.

    >>> gb.sparse_bsr_tensor([0, 1], [0], [[[1.0], [2.0]]]).to_dense()
    tensor([[1.],
            [2.]])
    """
    made: SparseBsrTensor = _made(
        "sparse_bsr_tensor",
        SparseBsrTensor,
        crow_indices,
        col_indices,
        values,
        size,
        dtype,
        device,
        requires_grad,
    )
    return made


def sparse_bsc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseBscTensor:
    """Make a sparse matrix of columns of blocks: where each begins, the rows and the values.

    Args:
        ccol_indices: Whole numbers, one more than columns of blocks: from 0 to how many are told.
        row_indices: Whole numbers [count].
        values: [count, *sizes of a block], a tensor or data; gradients flow to a tensor.
        size: Rows and columns; the least that hold them by default.
        dtype: The values'; by default theirs.
        device: Where; by default where the values are.
        requires_grad: Ask for gradients: of the values, which are detached then.
        check_invariants: Ignored: places are always checked.

    Returns:
        A SparseBscTensor.

    Raises:
        ShapeError: Sizes that do not fit each other, or columns of blocks that begin before others.
        IndexOutOfRangeError: A place outside the sizes.
        DTypeError: Places that are no whole numbers.

    >>> gb.sparse_bsc_tensor([0, 1], [0], [[[1.0], [2.0]]]).to_dense()
    tensor([[1.],
            [2.]])
    """
    made: SparseBscTensor = _made(
        "sparse_bsc_tensor",
        SparseBscTensor,
        ccol_indices,
        row_indices,
        values,
        size,
        dtype,
        device,
        requires_grad,
    )
    return made


_MAKERS: list[tuple[_Layout, Callable[..., Compressed]]] = [
    (layouts.sparse_csr, sparse_csr_tensor),
    (layouts.sparse_csc, sparse_csc_tensor),
    (layouts.sparse_bsr, sparse_bsr_tensor),
    (layouts.sparse_bsc, sparse_bsc_tensor),
]


def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    layout: _Layout | None = None,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Compressed:
    """Make a sparse matrix in one of the four layouts by rows, columns and blocks.

    Args:
        compressed_indices: Where each row or column begins.
        plain_indices: The columns, or the rows.
        values: As the function of the layout takes them.
        size: Rows and columns; the least that hold them by default.
        layout: `gb.sparse_csr`, `sparse_csc`, `sparse_bsr` or `sparse_bsc`.
        dtype: The values'; by default theirs.
        device: Where; by default where the values are.
        requires_grad: Ask for gradients: of the values, which are detached then.
        check_invariants: Ignored: places are always checked.

    Returns:
        What the function of the layout makes.

    Raises:
        ShapeError: Sizes that do not fit each other.
        IndexOutOfRangeError: A place outside the sizes.
        ChoiceError: Another layout; it is a ValueError and a NotImplementedError.

    >>> made = gb.sparse_compressed_tensor([0, 1], [0], [2.0], layout=gb.sparse_csc)
    >>> made.layout
    garboard.sparse_csc
    """
    maker = next((make for known, make in _MAKERS if known is layout), None)
    if maker is None:
        raise ChoiceError(
            f"sparse_compressed_tensor: layout {shown(layout)}; gb.sparse_csr, sparse_csc, "
            "sparse_bsr or sparse_bsc is needed"
        )
    return maker(
        compressed_indices,
        plain_indices,
        values,
        size,
        dtype=dtype,
        device=device,
        requires_grad=requires_grad,
    )


def _ordered(
    op: str,
    kind: type[Compressed],
    given: Any,
    dense_dim: int | None,
    blocksize: Sequence[int] | None = None,
) -> Any:
    if not is_sparse(given):
        check.tensor(op, "self", given)
    block = None if blocksize is None else check.sizes(op, "blocksize", blocksize)
    if given.ndim != 2 or dense_dim or (is_sparse(given) and given.dense_dim()):
        raise ShapeError(f"{op}: sizes {[*given.shape]}; two dims, all sparse, are needed")
    if block is not None and (
        len(block) != 2
        or any(by < 1 or one % by for one, by in zip(given.shape, block, strict=True))
    ):
        raise ShapeError(
            f"{op}: blocksize {[*block]} for sizes {[*given.shape]}; two sizes that divide them "
            "are needed"
        )
    if type(given) is kind and block is None:
        return given
    by_places = given if is_sparse(given) else to_sparse(given)
    return order_by(kind, by_places, None if block is None else (block[0], block[1]))


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
    made: SparseCsrTensor = _ordered("to_sparse_csr", SparseCsrTensor, self, dense_dim)
    return made


def to_sparse_csc(self: Tensor | SparseTensor, dense_dim: int | None = None) -> SparseCscTensor:
    """Return the sparse matrix by columns of the elements that are not zero.

    Args:
        self: A matrix, dense or sparse.
        dense_dim: None, or 0: elements are numbers.

    Returns:
        A SparseCscTensor; gradients flow to this one.

    Raises:
        ShapeError: Other than two dims.

    >>> gb.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse_csc().row_indices()
    tensor([1, 0])
    """
    made: SparseCscTensor = _ordered("to_sparse_csc", SparseCscTensor, self, dense_dim)
    return made


def to_sparse_bsr(
    self: Tensor | SparseTensor, blocksize: Sequence[int], dense_dim: int | None = None
) -> SparseBsrTensor:
    """Return the sparse matrix by rows of the blocks in which an element is not zero.

    Args:
        self: A matrix, dense or sparse.
        blocksize: The two sizes of a block, which divide the matrix's.
        dense_dim: None, or 0: elements are numbers.

    Returns:
        A SparseBsrTensor; gradients flow to this one.

    Raises:
        ShapeError: Other than two dims, or blocks that do not fit.

    >>> gb.eye(4).to_sparse_bsr((2, 2)).values().shape
    (2, 2, 2)
    """
    made: SparseBsrTensor = _ordered("to_sparse_bsr", SparseBsrTensor, self, dense_dim, blocksize)
    return made


def to_sparse_bsc(
    self: Tensor | SparseTensor, blocksize: Sequence[int], dense_dim: int | None = None
) -> SparseBscTensor:
    """Return the sparse matrix by columns of the blocks in which an element is not zero.

    Args:
        self: A matrix, dense or sparse.
        blocksize: The two sizes of a block, which divide the matrix's.
        dense_dim: None, or 0: elements are numbers.

    Returns:
        A SparseBscTensor; gradients flow to this one.

    Raises:
        ShapeError: Other than two dims, or blocks that do not fit.

    >>> gb.eye(4).to_sparse_bsc((2, 2)).values().shape
    (2, 2, 2)
    """
    made: SparseBscTensor = _ordered("to_sparse_bsc", SparseBscTensor, self, dense_dim, blocksize)
    return made


_conversions: dict[str, Any] = {
    "to_sparse_bsc": to_sparse_bsc,
    "to_sparse_bsr": to_sparse_bsr,
    "to_sparse_csc": to_sparse_csc,
    "to_sparse_csr": to_sparse_csr,
}
add_methods(Tensor, _conversions)
add_methods(SparseTensor, _conversions)
