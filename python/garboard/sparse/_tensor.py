"""A tensor by coordinates: where its elements lie, and what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.layouts import sparse_coo
from garboard._arguments.texts import shown
from garboard._engine import GarboardError, IndexOutOfRangeError, ShapeError, Tensor
from garboard._engine import _Size as Size
from garboard.sparse import _products
from garboard.sparse._shown import lacking, options_text, parts_text

if TYPE_CHECKING:
    from garboard._arguments.layouts import layout
    from garboard.types import Device, DType

__all__ = ["SparseTensor"]

_Number = bool | int | float


class SparseTensor:
    """A tensor whose elements are zero but for some, which are told with their places.

    It is made by `gb.sparse_coo_tensor` and `x.to_sparse()`, and owns nothing but two dense
    tensors: places of sizes [sparse dims, count], int64, and values of sizes [count, *dense dims].
    Both belong to the dispose scope that was open, as all tensors do. A place may be told several
    times: its values are added, and `coalesce()` does it. What needs a dense tensor takes
    `to_dense()`.

    Args:
        places: Where the elements are, [sparse dims, count], int64.
        values: What they are, [count, *dense dims].
        sizes: Of all dims.
        is_coalesced: Whether each place is told once, in order.
        block: The sizes of the blocks that elements are told by, one block after the other.

    >>> x = gb.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
    >>> x @ gb.ones(3, 1)
    tensor([[3.],
            [9.]])
    >>> x.t().to_dense()
    tensor([[0., 4.],
            [0., 0.],
            [3., 5.]])
    """

    __slots__ = ("__weakref__", "_block", "_is_coalesced", "_places", "_sizes", "_told")

    # What functions of the engine do, by their names: the functions of this package.
    _answer: ClassVar[Callable[[Callable[..., Any], Sequence[Any], dict[str, Any]], Any]]

    is_sparse = True
    is_sparse_csr = False

    def __init__(
        self,
        places: Tensor,
        values: Tensor,
        sizes: Sequence[int],
        is_coalesced: bool = False,
        block: tuple[int, int] | None = None,
    ) -> None:
        op = "SparseTensor"
        self._places, self._told = (
            check.tensor(op, "places", places),
            check.tensor(op, "values", values),
        )
        self._sizes = Size(check.sizes(op, "sizes", sizes))
        _products.refuse_unfit(op, places, values, self._sizes)
        self._is_coalesced = is_coalesced
        self._block = block

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """`gb.Tensor`, so that `isinstance` says what it says of PyTorch's."""
        return Tensor

    def __reduce__(self) -> tuple[object, ...]:
        parts = self._places, self._told, self._sizes, self._is_coalesced, self._block
        return type(self), parts

    @classmethod
    def made(cls, places: Tensor, values: Tensor, sizes: Sequence[int]) -> Self:
        """Make one whose places fit its sizes.

        Args:
            places: [sparse dims, count], int64.
            values: [count, *dense dims].
            sizes: Of all dims.

        Returns:
            A new one, over the same memory.

        >>> x = gb.eye(2).to_sparse()
        >>> type(x).made(x._indices(), x._values(), (2, 3)).shape
        (2, 3)
        """
        return cls(places, values, sizes)

    # What it is

    @property
    def shape(self) -> Size:
        """The sizes of all dims."""
        return self._sizes

    @property
    def dtype(self) -> DType:
        """The values' dtype."""
        return self._told.dtype

    @property
    def device(self) -> Device:
        """Where places and values are."""
        return self._told.device

    @property
    def layout(self) -> layout:
        """`gb.sparse_coo`."""
        return sparse_coo

    @property
    def ndim(self) -> int:
        """How many dims there are, sparse and dense."""
        return len(self._sizes)

    @property
    def is_cuda(self) -> bool:
        """Whether it is on a GPU."""
        return self._told.is_cuda

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to the values."""
        return self._told.requires_grad

    @property
    def grad(self) -> SparseTensor | None:
        """The values' gradient at their places, where they are a leaf that got one."""
        found = self._told.grad if self._told.is_leaf else None
        return None if found is None else self._with(found)

    @grad.setter
    def grad(self, given: SparseTensor | None) -> None:
        self._told.grad = None if given is None else given._told

    @property
    def T(self) -> SparseTensor:  # noqa: N802
        """`t()`."""
        return self.t()

    @property
    def mT(self) -> SparseTensor:  # noqa: N802
        """The last two dims transposed."""
        return self.transpose(-2, -1)

    def size(self, dim: int | None = None) -> Any:
        """Return the sizes, or that of a dim."""
        return (
            self._sizes if dim is None else self._sizes[_products.place_of("size", dim, self.ndim)]
        )

    def dim(self) -> int:
        """Return how many dims there are."""
        return self.ndim

    ndimension = dim

    def numel(self) -> int:
        """Return how many elements there are, zeros included."""
        return prod(self._sizes)

    def sparse_dim(self) -> int:
        """Return how many dims are told by places: the first ones."""
        return self._places.shape[0]

    def dense_dim(self) -> int:
        """Return how many dims each value has."""
        return self._told.ndim - 1

    def is_coalesced(self) -> bool:
        """Tell whether each place is told once, in order."""
        return self._is_coalesced

    def is_floating_point(self) -> bool:
        """Tell whether the dtype is a floating one."""
        return self._told.is_floating_point()

    def is_complex(self) -> bool:
        """Tell whether the dtype is a complex one."""
        return self._told.is_complex()

    def _nnz(self) -> int:
        return self._places.shape[1]

    def _scope_members(self) -> list[Tensor]:
        """What moves between scopes with it."""
        return [self._places, self._told]

    def _remaker(self) -> Callable[[Iterator[Tensor]], SparseTensor]:
        """Return what makes one like this of the next two of some tensors; it keeps no tensor."""
        kind, told = type(self), (self._sizes, self._is_coalesced, self._block)
        return lambda parts: kind(next(parts), next(parts), *told)

    def _indices(self) -> Tensor:
        return self._places

    def _values(self) -> Tensor:
        return self._told

    def indices(self) -> Tensor:
        """Return the places, [sparse dims, count], int64.

        Raises:
            GarboardError: Some place may be told twice.
        """
        self._refuse_uncoalesced("indices")
        return self._places.alias()

    def values(self) -> Tensor:
        """Return the values, [count, *dense dims]; gradients flow through them.

        Raises:
            GarboardError: Some place may be told twice.
        """
        self._refuse_uncoalesced("values")
        return self._told.alias()

    def _refuse_uncoalesced(self, op: str) -> None:
        if not self._is_coalesced:
            raise GarboardError(
                f"{op}: a sparse tensor in which a place may be told twice; take coalesce() first"
            )

    # What is made of it

    def _with(self, values: Tensor, places: Tensor | None = None) -> SparseTensor:
        """One of the same kind with other values, at the same places."""
        at = self._places if places is None else places
        return type(self)(at, values, self._sizes, self._is_coalesced, self._block)

    def _by_places(self) -> SparseTensor:
        """The same by coordinates."""
        return self

    def _like(self, made: SparseTensor) -> SparseTensor:
        """The same elements as another, told as this one's are."""
        return made

    def to_dense(self, dtype: DType | None = None) -> Tensor:
        """Return the dense tensor of the same elements."""
        made = _products.dense_of(self._places, self._told, self._sizes)
        return made if dtype is None else made.to(dtype)

    def narrow_copy(self, dim: int, start: int, length: int) -> SparseTensor:
        """Return a copy of a part of a dim; gradients flow to this one.

        Raises:
            IndexOutOfRangeError: No dim of that number, or a part beyond its ends.
        """
        op = "narrow_copy"
        at, sizes = _products.place_of(op, dim, self.ndim), list(self._sizes)
        begin, count = check.integer(op, "start", start), check.size(op, "length", length)
        begin = begin + sizes[at] if begin < 0 else begin
        if not 0 <= begin <= begin + count <= sizes[at]:
            raise IndexOutOfRangeError(
                f"{op}: {shown(start)} and {shown(length)} from there, in dim {at} of size "
                f"{sizes[at]}; a part of it is needed"
            )
        sizes[at] = count
        if at >= self.sparse_dim():
            told = self._told.narrow(at - self.sparse_dim() + 1, begin, count).clone()
            return SparseTensor(self._places.clone(), told, sizes, self._is_coalesced)
        row = self._places[at]
        numbers = ((row >= begin) & (row < begin + count)).nonzero().squeeze(1)
        places = self._places.index_select(1, numbers)
        places[at] -= begin
        told = self._told.index_select(0, numbers)
        return self._like(SparseTensor(places, told, sizes, self._is_coalesced))

    def coalesce(self) -> SparseTensor:
        """Return one in which each place is told once, in order; itself where it is so already."""
        if self._is_coalesced:
            return self
        places, values = _products.added_up(self._places, self._told, self._sizes)
        return SparseTensor(places, values, self._sizes, True)

    def _coalesced_(self, coalesced: bool) -> Self:
        self._is_coalesced = check.flag("_coalesced_", "coalesced", coalesced)
        return self

    def transpose(self, dim0: int, dim1: int) -> SparseTensor:
        """Return one with two sparse dims exchanged; the values are shared.

        Raises:
            ShapeError: A dim that is dense.
            IndexOutOfRangeError: No dim of that number.
        """
        order = list(range(self.ndim))
        a, b = (_products.place_of("transpose", dim, self.ndim) for dim in (dim0, dim1))
        order[a], order[b] = b, a
        if a == b:
            return self._with(self._told)
        if max(a, b) >= self.sparse_dim():
            raise ShapeError(f"transpose: dim {max(a, b)}, which is dense; sparse ones are needed")
        rows = _engine.tensor(order[: self.sparse_dim()], device=self.device)
        sizes = [self._sizes[dim] for dim in order]
        return SparseTensor(self._places.index_select(0, rows), self._told, sizes)

    def t(self) -> SparseTensor:
        """Return the transposed matrix; the values are shared.

        Raises:
            ShapeError: Other than two dims.
        """
        if self.ndim != 2:
            raise ShapeError(f"t: sizes {list(self._sizes)}; two dims are needed")
        return self.transpose(0, 1)

    def sum(
        self,
        dim: int | Sequence[int] | None = None,
        keepdim: bool = False,
        *,
        dtype: DType | None = None,
    ) -> Any:
        """Return the sum of all elements, or a sparse tensor of the sums over dims."""
        it = self if dtype is None else self.to(dtype)
        if dim is None:
            return it._told.sum()
        made = _products.summed(it._by_places(), dim, check.flag("sum", "keepdim", keepdim))
        return self._like(made) if keepdim and _products.is_sparse(made) else made

    def to(self, *given: Any, **named: Any) -> SparseTensor:
        """Return one of another dtype or on another device; arguments as of `Tensor.to`."""
        values = self._told.to(*given, **named)
        if values is self._told and not named.get("copy"):
            return self
        return self._with(values, self._places.to(values.device))

    def cpu(self) -> SparseTensor:
        """Return one on the CPU."""
        return self.to("cpu")

    def cuda(self, device: Device | int | None = None) -> SparseTensor:
        """Return one on a GPU."""
        return self.to(check.numbered_device("cuda", device) if device is None else device)

    def type(self, dtype: Any) -> SparseTensor:
        """Return one of another dtype."""
        return self._with(self._told.type(dtype))

    def clone(self) -> SparseTensor:
        """Return a copy; gradients flow to this one."""
        return self._with(self._told.clone(), self._places.clone())

    def detach(self) -> SparseTensor:
        """Return one with the same memory and no history."""
        return self._with(self._told.detach())

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Ask for gradients of the values, and return itself."""
        if requires_grad and not self._told.requires_grad:
            # Over the same memory: the tensor that was given for the values asks for none.
            own = self._told.detach()
            self._told = own.move_to_other_dispose_scope(self._told)
        self._told.requires_grad_(requires_grad)
        return self

    def mm(self, mat2: Any) -> Any:
        """Return the product with a dense matrix, dense; or with a sparse one, sparse."""
        return _products.product("mm", self, mat2)

    def matmul(self, other: Any) -> Any:
        """Return the product with a matrix or a vector."""
        return _products.product("matmul", self, other)

    def mv(self, vec: Tensor) -> Tensor:
        """Return the product with a vector."""
        return _products.by_dense("mv", self, vec)

    # Arithmetic

    __matmul__ = matmul

    def __rmatmul__(self, other: Tensor) -> Tensor:
        return _products.dense_by("matmul", other, self)

    def mul(self, other: Any) -> SparseTensor:
        """Return the elements times a number, or times those of a tensor at their places."""
        if _products.is_sparse(other):
            return self._like(_products.together("mul", self, other))
        if isinstance(other, Tensor) and other.ndim:
            return self._with(self._told * _products.taken("mul", self, other))
        return self._with(self._told * _factor("mul", other))

    def __mul__(self, other: Any) -> SparseTensor:
        return self.mul(other)

    def __rmul__(self, other: Any) -> SparseTensor:
        return self.mul(other)

    def div(self, other: Any, *, rounding_mode: Any = None) -> SparseTensor:
        """Return the elements by a number, or by those of a dense tensor at their places."""
        is_dense = isinstance(other, Tensor) and not _products.is_sparse(other) and other.ndim
        by = _products.taken("div", self, other) if is_dense else _factor("div", other)
        if rounding_mode is None:
            return self._with(self._told / by)
        whole = self if is_dense else self._once()
        return whole._with(whole._told.div(by, rounding_mode=rounding_mode))

    __truediv__ = div

    def __floordiv__(self, other: Tensor | _Number) -> SparseTensor:
        return self.div(other, rounding_mode="floor")

    def _once(self) -> SparseTensor:
        """One of the same kind in which each place is told once."""
        return self.coalesce() if type(self) is SparseTensor else self

    def neg(self) -> SparseTensor:
        """Return the negatives."""
        return self._with(-self._told)

    __neg__ = neg

    def __abs__(self) -> SparseTensor:
        whole = self._once()
        return whole._with(whole._told.abs())

    def add(self, other: Any, *, alpha: _Number = 1) -> Any:
        """Return the sum with a sparse tensor, sparse, or with a dense one, dense."""
        made = _products.total("add", self, other, alpha)
        return self._like(made) if _products.is_sparse(made) else made

    def sub(self, other: Any, *, alpha: _Number = 1) -> Any:
        """Return the difference, as `add` does the sum."""
        made = _products.total("sub", self, other, -alpha)
        return self._like(made) if _products.is_sparse(made) else made

    def __add__(self, other: Any) -> Any:
        return self.add(other)

    def __radd__(self, other: Any) -> Any:
        return self.add(other)

    __sub__ = sub

    def __rsub__(self, other: Any) -> Any:
        return self.neg().add(other)

    # What else is asked of tensors

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Sequence[Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Answer a function that was given one of these."""
        return cls._answer(func, args, dict(kwargs or {}))

    def __getattr__(self, name: str) -> NoReturn:
        raise lacking(self, name)

    if TYPE_CHECKING:

        def unbind(self, dim: int = 0) -> tuple[Any, ...]: ...

    def __len__(self) -> int:
        return self._sizes[0]

    def __repr__(self) -> str:
        inner = ",\n       ".join(parts_text(indices=self._places, values=self._told))
        rest = f"size={tuple(self._sizes)}, nnz={self._nnz()}{options_text(self)}"
        return f"tensor({inner},\n       {rest})"


def _factor(op: str, given: Any) -> Any:
    if _products.is_sparse(given) and not given.ndim:
        return given.to_dense()
    if type(given).__module__ == "numpy" and not given.ndim:
        given = given.item()
    if isinstance(given, (Tensor, int, float, complex)) and not _products.is_sparse(given):
        return given
    raise TypeError(f"{op}: other is {shown(given)}; a number or a dense Tensor is needed")
