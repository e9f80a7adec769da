"""How sparse tensors are made: of places and values, and of dense tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError, ChoiceError
from garboard._arguments.layouts import sparse_coo
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, IndexOutOfRangeError, ShapeError, Tensor
from garboard._engine import _Size as Size
from garboard._native import add_methods
from garboard.sparse import _products
from garboard.sparse._tensor import SparseTensor

if TYPE_CHECKING:
    from garboard._arguments.layouts import layout as _Layout  # noqa: N812
    from garboard.types import Device, DType

__all__ = [
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "sparse_coo_tensor",
    "sparse_mask",
    "to_sparse",
]


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Sequence[int] | None = None,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseTensor:
    """Make a sparse tensor of places and values; what is not told is zero.

    Args:
        indices: Places, [sparse dims, count], a tensor or data of whole numbers; or, alone, sizes.
            None is nowhere, of a `size`.
        values: [count, *dense dims], a tensor or data; gradients flow to a tensor.
        size: All sizes, sparse and dense; the least that hold the places by default.
        dtype: The values'; by default theirs.
        device: Where; by default where the values are.
        requires_grad: Ask for gradients: of the values, which are detached then.
        check_invariants: Ignored: places are always checked.
        is_coalesced: Say that each place is told once, in order.

    Returns:
        A SparseTensor.

    Raises:
        ShapeError: Sizes that do not fit each other.
        IndexOutOfRangeError: A place outside the sizes.
        DTypeError: Places that are no whole numbers.

    >>> gb.sparse_coo_tensor([[0, 1], [1, 1]], [1.0, 2.0], (2, 2)).to_dense()
    tensor([[0., 1.],
            [0., 2.]])
    """
    op = "sparse_coo_tensor"
    if indices is None and (values is not None or size is None):
        raise TypeError(f"{op}: no indices; places are needed, or a size alone")
    if values is None:
        sizes = check.sizes(op, "size", indices if size is None else size)
        indices, values, size = _engine.zeros(len(sizes), 0, dtype=_engine.int64), [], sizes
    told = values if isinstance(values, Tensor) else _engine.as_tensor(values)
    told = told.to(dtype=dtype or told.dtype, device=device or told.device)
    if told.ndim == 0:
        told = told.unsqueeze(0)
    if requires_grad:
        told = told.detach().requires_grad_()
    places = _places(op, indices, told)
    dims, count = places.shape
    if told.shape[0] != count:
        raise ShapeError(
            f"{op}: places for {count} values and {told.shape[0]} values; as many are needed"
        )
    most = [int(row) for row in places.amax(1).tolist()] if count else [-1] * dims
    least = [int(row) for row in places.amin(1).tolist()] if count else [0] * dims
    if size is None:
        size = [one + 1 for one in most] + list(told.shape[1:])
    else:
        size = check.sizes(op, "size", size)
        if list(size[dims:]) != list(told.shape[1:]) or len(size) < dims:
            raise ShapeError(
                f"{op}: size {list(size)} for {dims} sparse dims and values of sizes "
                f"{list(told.shape)}; the sparse dims and then those of a value are needed"
            )
    for dim in range(dims):
        if least[dim] < 0 or most[dim] >= size[dim]:
            wrong = least[dim] if least[dim] < 0 else most[dim]
            raise IndexOutOfRangeError(
                f"{op}: place {wrong} in dim {dim} of size {size[dim]}; at least 0 and less than "
                "that is needed"
            )
    return SparseTensor(places, told, size, bool(is_coalesced) or count == 0)


def _places(op: str, indices: Any, told: Tensor) -> Tensor:
    places = indices if isinstance(indices, Tensor) else _engine.tensor(indices)
    if places.dtype.is_floating_point and not bool((places == places.floor()).all()):
        raise DTypeError(f"{op}: indices of dtype {places.dtype}, not all whole; int64 is needed")
    if places.ndim != 2:
        raise ShapeError(
            f"{op}: indices of sizes {list(places.shape)}; [sparse dims, count] is needed"
        )
    return places.to(dtype=_engine.int64, device=told.device)


def _in_layout(
    self: Tensor | SparseTensor,
    sparse_dim: int | None,
    layout: _Layout | None,
    blocksize: tuple[int, int] | None,
    dense_dim: int | None,
) -> SparseTensor | None:
    """The same by rows, columns or blocks; None where coordinates are asked for."""
    if (layout is None or layout is sparse_coo) and blocksize is not None:
        raise ChoiceError("to_sparse: blocksize for a layout by coordinates; leave it out")
    if layout is not None and layout is not sparse_coo:
        name = str(layout).removeprefix("garboard.")
        convert = getattr(type(self), f"to_{name}", None) if sparse_dim is None else None
        if convert is None or (blocksize is None) is name.startswith("sparse_b"):
            raise ChoiceError(
                f"to_sparse: layout {shown(layout)}, blocksize {shown(blocksize)}, sparse_dim "
                f"{shown(sparse_dim)}; sparse_coo, or of a matrix sparse_csr, sparse_csc, or with "
                "a blocksize sparse_bsr or sparse_bsc, is needed"
            )
        given = () if blocksize is None else (blocksize,)
        made: SparseTensor = convert(self, *given, dense_dim=dense_dim)
        return made
    return None


def to_sparse(
    self: Tensor,
    sparse_dim: int | None = None,
    *,
    layout: _Layout | None = None,
    blocksize: tuple[int, int] | None = None,
    dense_dim: int | None = None,
) -> SparseTensor:
    """Return the sparse tensor of the elements that are not zero; gradients flow to this one.

    Args:
        sparse_dim: How many dims are told by places, the first ones; all by default.
        layout: `gb.sparse_coo`, as by default, or one by rows, columns or blocks.
        blocksize: The sizes of a block, where the layout has blocks.
        dense_dim: How many dims are not told by places, the last ones.

    Raises:
        ValueError: Fewer sparse dims than 1, or more than there are.
        ChoiceError: Another layout, or blocks; it is a ValueError and a NotImplementedError.

    >>> gb.tensor([[0.0, 1.0], [0.0, 0.0]]).to_sparse()
    tensor(indices=tensor([[0],
                           [1]]),
           values=tensor([1.]),
           size=(2, 2), nnz=1, layout=garboard.sparse_coo)
    """
    self = check.tensor("to_sparse", "self", self)
    if (made := _in_layout(self, sparse_dim, layout, blocksize, dense_dim)) is not None:
        return made
    if dense_dim is not None and sparse_dim is None:
        sparse_dim = self.ndim - check.integer("to_sparse", "dense_dim", dense_dim)
    dims = self.ndim if sparse_dim is None else sparse_dim
    if not isinstance(dims, int) or not 1 <= dims <= self.ndim:
        raise ArgumentError(
            f"to_sparse: sparse_dim {dims} of a tensor of {self.ndim} dims; 1 to that is needed"
        )
    found = self.detach() != 0
    if dims < self.ndim:
        found = found.flatten(dims).any(dims)
    places = found.nonzero()
    flat = self.reshape(-1, *self.shape[dims:])
    numbers = found.flatten().nonzero().squeeze(1)
    return SparseTensor(places.t().contiguous(), flat.index_select(0, numbers), self.shape, True)


def _to_sparse_again(
    self: SparseTensor,
    sparse_dim: int | None = None,
    *,
    layout: _Layout | None = None,
    blocksize: tuple[int, int] | None = None,
    dense_dim: int | None = None,
) -> SparseTensor:
    """Return the same by coordinates, itself where it is so already, or in another layout.

    Args:
        sparse_dim: How many dims are told by places; as many as are.
        layout: `gb.sparse_coo`, as by default, or one by rows, columns or blocks.
        blocksize: The sizes of a block, where the layout has blocks.
        dense_dim: How many dims are not told by places.

    Raises:
        ValueError: Other sparse dims than there are.
        ChoiceError: Another layout, or blocks; it is a ValueError and a NotImplementedError.

    >>> gb.eye(2).to_sparse().to_sparse(layout=gb.sparse_csr).layout
    garboard.sparse_csr
    """
    if (made := _in_layout(self, sparse_dim, layout, blocksize, dense_dim)) is not None:
        return made
    if sparse_dim not in (None, self.sparse_dim()):
        raise ValueError(
            f"to_sparse: sparse_dim {shown(sparse_dim)} of a tensor of {self.sparse_dim()} sparse "
            "dims; that many are needed"
        )
    return self._by_places()


def sparse_mask(self: Tensor, mask: SparseTensor) -> SparseTensor:
    """Return the elements at the places that a sparse tensor tells; gradients flow to this one.

    Args:
        mask: Of the same sizes; its values do not count.

    Returns:
        A sparse tensor with the mask's places, by rows where it is.

    Raises:
        ShapeError: Other sizes.
        TypeError: The mask is no SparseTensor.

    >>> gb.arange(4.0).reshape(2, 2).sparse_mask(gb.eye(2).to_sparse()).values()
    tensor([0., 3.])
    """
    x = check.tensor("sparse_mask", "self", self)
    places = check.of_type(SparseTensor, "sparse_mask", "mask", mask)
    return places._with(_products.taken("sparse_mask", places, x))


def _to_dense(self: Tensor) -> Tensor:
    """Return a new handle on this tensor, which is dense.

    >>> gb.ones(2).to_dense()
    tensor([1., 1.])
    """
    return self.alias()


class _Typed(type):
    """The type of `sparse.FloatTensor` and its kin: calling one makes a sparse tensor."""

    dtype: DType

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, SparseTensor) and instance.dtype == cls.dtype

    def __call__(cls, *given: Any) -> SparseTensor:
        """Return a sparse tensor of sizes, or of places, values, and sizes that may be left out."""
        if given and (
            isinstance(given[0], int) or (len(given) == 1 and isinstance(given[0], Size))
        ):
            sizes = given if isinstance(given[0], int) else given[0]
            return sparse_coo_tensor(sizes).to(cls.dtype)
        return sparse_coo_tensor(*given, dtype=cls.dtype)


def _typed(name: str, dtype: DType) -> _Typed:
    about = (
        f"Make a sparse tensor of dtype {str(dtype).removeprefix('garboard.')}: older programs do."
    )
    return _Typed(name, (), {"__doc__": about, "__module__": "garboard.sparse", "dtype": dtype})


ByteTensor: _Typed = _typed("ByteTensor", _engine.uint8)
CharTensor: _Typed = _typed("CharTensor", _engine.int8)
DoubleTensor: _Typed = _typed("DoubleTensor", _engine.float64)
FloatTensor: _Typed = _typed("FloatTensor", _engine.float32)
HalfTensor: _Typed = _typed("HalfTensor", _engine.float16)
IntTensor: _Typed = _typed("IntTensor", _engine.int32)
LongTensor: _Typed = _typed("LongTensor", _engine.int64)
ShortTensor: _Typed = _typed("ShortTensor", _engine.int16)

_coordinates: dict[str, Any] = {"to_sparse": to_sparse, "to_sparse_coo": to_sparse}
add_methods(SparseTensor, {"to_sparse": _to_sparse_again})
add_methods(Tensor, {**_coordinates, "to_dense": _to_dense, "sparse_mask": sparse_mask})
