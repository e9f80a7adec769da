"""What programs ask of a sparse tensor that they ask of every tensor, and writing in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import GradientError, ShapeError, Tensor
from garboard._native import add_methods
from garboard.sparse import _products
from garboard.sparse._elements import KEEPING_ZERO
from garboard.sparse._layouts import empty
from garboard.sparse._tensor import SparseTensor

__all__: list[str] = []

# Answered by the values.
_OF_VALUES = "element_size get_device is_inference is_neg is_conj is_pinned is_shared is_signed"
_NEVER = "is_ipu is_maia is_mkldnn is_mps is_mtia is_nested is_quantized is_vulkan is_xla is_xpu"
_OF_BOOLS = ("isinf", "isnan", "isneginf", "isposinf", "signbit")
_PROPERTIES = "grad_fn is_cpu is_disposed is_leaf is_meta itemsize retains_grad"


def _asked(name: str) -> Any:
    def ask(self: SparseTensor) -> Any:
        return getattr(self._told, name)()

    ask.__name__ = name
    ask.__doc__ = """Return what the values answer.

    >>> x = gb.eye(2).to_sparse()
    >>> x.is_conj() == x.values().is_conj()
    True
    """
    return ask


def _property(name: str) -> property:
    return property(lambda self: getattr(self._told, name), doc=f"The values' `{name}`.")


def _only(self: SparseTensor, op: str) -> Tensor:
    if self.numel() != 1:
        raise ShapeError(
            f"{op}: a sparse tensor of sizes {list(self.shape)}, which is no number and neither "
            "true nor false; take to_dense()"
        )
    return self.to_dense()


def item(self: SparseTensor) -> Any:
    """Return the only element as a number.

    Args:
        self: A sparse tensor of one element, told or not.

    Raises:
        ShapeError: There are others.

    >>> x = gb.tensor([0.5]).to_sparse()
    >>> x.item()
    0.5
    """
    return _only(self, "item").item()


def is_nonzero(self: SparseTensor) -> bool:
    """Tell whether the only element is not zero.

    Args:
        self: A sparse tensor of one element.

    Returns:
        A bool.

    Raises:
        ShapeError: There are others.

    >>> x = gb.tensor([0.5]).to_sparse()
    >>> x.is_nonzero()
    True
    """
    return bool(_only(self, "bool"))


def _compared(op: str) -> Any:
    def compare(self: SparseTensor, other: object) -> Any:
        if isinstance(other, (Tensor, int, float, complex)):
            raise TypeError(f"{op}: a sparse tensor, which it does not take; take to_dense() first")
        return NotImplemented

    return compare


def stride(self: SparseTensor, dim: int | None = None) -> Any:
    """Return 0 for each dim: elements lie where they are told.

    Args:
        self: A sparse tensor.
        dim: Of which; None for all.

    Returns:
        Zeros, one a dim; or one.

    Raises:
        IndexOutOfRangeError: No dim of that number.

    >>> x = gb.eye(2).to_sparse()
    >>> x.stride()
    (0, 0)
    """
    if dim is None:
        return (0,) * self.ndim
    _products.place_of("stride", dim, self.ndim)
    return 0


def storage_offset(self: SparseTensor) -> int:
    """Return 0: elements lie where they are told.

    >>> x = gb.eye(2).to_sparse()
    >>> x.storage_offset()
    0
    """
    return 0


def is_contiguous(self: SparseTensor) -> bool:
    """Return False: elements lie where they are told.

    >>> x = gb.eye(2).to_sparse()
    >>> x.is_contiguous()
    False
    """
    return False


def is_same_size(self: SparseTensor, other: Any) -> bool:
    """Tell whether another tensor has these sizes.

    Args:
        self: A sparse tensor.
        other: One that is sparse or dense.

    Returns:
        A bool.

    Raises:
        TypeError: It is no tensor.

    >>> x = gb.eye(2).to_sparse()
    >>> x.is_same_size(gb.ones(2, 2))
    True
    """
    if not isinstance(other, Tensor):
        raise TypeError(f"is_same_size: other is {shown(other)}; a tensor is needed")
    return tuple(other.shape) == tuple(self.shape)


def numpy(self: SparseTensor, *, force: bool = False) -> NoReturn:
    """Refuse: NumPy has no such arrays.

    Args:
        self: A sparse tensor.
        force: Without effect.

    Raises:
        TypeError: Always.

    >>> try:
    ...     gb.eye(2).to_sparse().numpy()
    ... except TypeError as error:
    ...     print(str(error).partition(":")[0])
    numpy
    """
    raise TypeError("numpy: a sparse tensor; take to_dense().numpy()")


def _array(self: SparseTensor, *given: Any, **named: Any) -> NoReturn:
    numpy(self)


def _exported(self: SparseTensor, **named: Any) -> NoReturn:
    raise BufferError("__dlpack__: a sparse tensor; export to_dense()")


def norm(self: SparseTensor, p: float | str = "fro", dtype: Any = None) -> Tensor:
    """Return the norm of all elements, dense.

    Args:
        self: A sparse tensor.
        p: Above 0, or "fro" for 2.
        dtype: Convert to it first.

    Returns:
        A dense tensor without dims; gradients flow to this one.

    Raises:
        TypeError: `p` is no number above 0.

    >>> gb.tensor([0.0, 3.0, 4.0]).to_sparse().norm()
    tensor(5.)
    """
    power = 2.0 if p == "fro" else p
    if not isinstance(power, (int, float)) or not power > 0:
        raise TypeError(f"norm: p is {shown(p)}; 'fro', or a number above 0, is needed")
    told = self.coalesce()._told
    return _engine.norm(told if dtype is None else told.to(dtype), power)


def any(self: SparseTensor) -> Tensor:
    """Tell whether an element is not zero.

    Args:
        self: A sparse tensor.

    Returns:
        A dense tensor without dims, of bools.

    >>> x = gb.eye(2).to_sparse()
    >>> x.any()
    tensor(True)
    """
    return self.coalesce()._told.any()


def new_zeros(self: SparseTensor, *size: Any, dtype: Any = None, device: Any = None) -> Any:
    """Make one that tells no element, in this one's layout.

    Args:
        self: A sparse tensor.
        *size: The sizes, one by one or in a list.
        dtype: By default this one's.
        device: By default where this one is.

    Returns:
        A sparse tensor.

    Raises:
        ShapeError: A negative size.

    >>> gb.eye(2).to_sparse().new_zeros(2, 3).to_dense().tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    given = size[0] if len(size) == 1 and isinstance(size[0], (list, tuple)) else size
    sizes = check.sizes("new_zeros", "size", given)
    where = self.device if device is None else device
    return empty(sizes, self.layout, dtype=dtype or self.dtype, device=where)


def new_tensor(self: SparseTensor, data: Any, **named: Any) -> Tensor:
    """Make a dense tensor of data, of this one's dtype and where this one is.

    Args:
        self: A sparse tensor.
        data: As for `gb.tensor`.
        **named: Likewise.

    Returns:
        A Tensor.

    Raises:
        TypeError: As from `gb.tensor`.

    >>> gb.eye(2).to_sparse().new_tensor([1, 2])
    tensor([1., 2.])
    """
    return _engine.tensor(data, **{"dtype": self.dtype, "device": self.device, **named})


# In place


def _refuse_leaf(op: str, x: SparseTensor) -> None:
    if x._told.requires_grad and x._told.is_leaf and _engine.is_grad_enabled():
        raise GradientError(
            f"{op}: the values are a leaf that requires grad; write inside no_grad, or a copy"
        )


def _takes(self: SparseTensor, made: SparseTensor) -> SparseTensor:
    """Have a tensor tell what another one does."""
    for name in ("_places", "_told", "_sizes", "_is_coalesced", "_block"):
        setattr(self, name, getattr(made, name))
    return self


def _written(op: str) -> Any:
    def write(self: SparseTensor, *given: Any, **named: Any) -> SparseTensor:
        made = getattr(self, op)(*given, **named)
        if not _products.is_sparse(made) or made.shape != self.shape:
            raise ShapeError(f"{op}_: a result that is not of this sparse tensor's kind and sizes")
        if made.dtype != self.dtype:
            raise _engine.DTypeError(f"{op}_: a result of {made.dtype} for one of {self.dtype}")
        _refuse_leaf(f"{op}_", self)
        return _takes(self, made)

    write.__name__ = f"{op}_"
    write.__doc__ = f"""Have this tensor tell what `{op}` gives; who shares its values keeps them.

    Args:
        *given: As of `{op}`.
        **named: Likewise.

    Returns:
        The tensor itself.

    Raises:
        GradientError: The values are a leaf that requires grad.
        ShapeError: The result is dense, or of other sizes.
        DTypeError: It is of another dtype.

    >>> x = gb.eye(2).to_sparse()
    >>> x.abs_() is x
    True
    """
    return write


def zero_(self: SparseTensor) -> SparseTensor:
    """Tell no element any more.

    Args:
        self: A sparse tensor.

    Returns:
        The tensor itself.

    Raises:
        GradientError: The values are a leaf that requires grad.

    >>> x = gb.eye(2).to_sparse()
    >>> x.zero_()._nnz()
    0
    """
    _refuse_leaf("zero_", self)
    where = slice(0, 0)
    told = self._told.detach()[where]
    is_coalesced = type(self) is SparseTensor or self._is_coalesced
    made = type(self)(self._places[:, where], told, self._sizes, is_coalesced, self._block)
    return _takes(self, made)


def copy_(self: SparseTensor, src: SparseTensor, non_blocking: bool = False) -> SparseTensor:
    """Tell what another sparse tensor does, in this one's dtype.

    Args:
        self: A sparse tensor.
        src: Of the same layout and sizes; gradients flow to it.
        non_blocking: Without effect.

    Returns:
        The tensor itself.

    Raises:
        ShapeError: Other sizes.
        TypeError: It is dense, or in another layout.
        GradientError: The values are a leaf that requires grad.

    >>> x = gb.zeros(2, 2).to_sparse()
    >>> x.copy_(gb.eye(2).to_sparse()).to_dense().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    check.flag("copy_", "non_blocking", non_blocking)
    if type(src) is not type(self):
        raise TypeError(f"copy_: src is {shown(src)}; a {type(self).__name__} is needed")
    if src.shape != self.shape:
        raise ShapeError(f"copy_: sizes {list(src.shape)} for {list(self.shape)}; equal ones are")
    _refuse_leaf("copy_", self)
    told = src._told.to(dtype=self.dtype, device=self.device, copy=True)
    return _takes(self, src._with(told, src._places.to(self.device, copy=True)))


def detach_(self: SparseTensor) -> SparseTensor:
    """Leave the graph: gradients flow to this tensor's values no more.

    Args:
        self: A sparse tensor.

    Returns:
        The tensor itself.

    >>> x = (gb.eye(2, requires_grad=True) * 2).to_sparse()
    >>> x.detach_().requires_grad
    False
    """
    return _takes(self, self.detach())


def positive(self: SparseTensor) -> SparseTensor:
    """Return the tensor itself.

    Args:
        self: A sparse tensor.

    >>> x = gb.eye(2).to_sparse()
    >>> x.positive() is x
    True
    """
    return self


def _data(self: SparseTensor) -> SparseTensor:
    return self.detach()


def bmm(self: SparseTensor, mat2: Tensor) -> Tensor:
    """Return the product of each matrix of a batch with a dense one.

    Args:
        self: A sparse tensor [batch, n, m], all dims sparse.
        mat2: [batch, m, k], dense.

    Returns:
        A dense tensor [batch, n, k]; gradients flow to both.

    Raises:
        ShapeError: Sizes that do not fit.
        DTypeError: Two dtypes.
        TypeError: `mat2` is no dense tensor.

    >>> x = gb.ones(1, 2, 2).to_sparse()
    >>> x.bmm(gb.ones(1, 2, 1)).tolist()
    [[[2.0], [2.0]]]
    """
    other = check.tensor("bmm", "mat2", mat2)
    if self.ndim != 3 or self.dense_dim() or other.ndim != 3 or len(self) != len(other):
        raise ShapeError(
            f"bmm: sizes {list(self.shape)}, sparse, and {list(other.shape)}; [batch, n, m] and "
            "[batch, m, k] are needed"
        )
    parts: Sequence[Any] = self.unbind()
    made = [_products.by_dense("bmm", one, by) for one, by in zip(parts, other, strict=True)]
    sizes = (0, self.shape[1], other.shape[2])
    return _engine.stack(made, 0) if made else other.new_zeros(sizes)


_methods: dict[str, Any] = {
    "__array__": _array,
    "__array_ufunc__": None,  # NumPy's operators leave it to those of here
    "__bool__": is_nonzero,
    "__dlpack__": _exported,
    "__dlpack_device__": _exported,
    "__eq__": _compared("eq"),
    "__float__": lambda self: float(_only(self, "float")),
    "__hash__": object.__hash__,
    "__int__": lambda self: int(_only(self, "int")),
    "__ne__": _compared("ne"),
    "any": any,
    "bmm": bmm,
    "copy_": copy_,
    "detach_": detach_,
    "data": property(_data, doc="The same values without their history."),
    "is_contiguous": is_contiguous,
    "is_nonzero": is_nonzero,
    "is_same_size": is_same_size,
    "item": item,
    "nelement": SparseTensor.numel,
    "new_empty": new_zeros,
    "new_tensor": new_tensor,
    "new_zeros": new_zeros,
    "norm": norm,
    "numpy": numpy,
    "positive": positive,
    "storage_offset": storage_offset,
    "stride": stride,
    "zero_": zero_,
    **{name: _asked(name) for name in _OF_VALUES.split()},
    **{name: _property(name) for name in _PROPERTIES.split()},
    **{name: False for name in _NEVER.split()},
}
_of_elements = [it for it in KEEPING_ZERO.split() if it not in _OF_BOOLS]
_in_place = {f"{op}_": _written(op) for op in ("add", "div", "mul", "neg", "sub", *_of_elements)}
_operators = {"iadd": "add_", "isub": "sub_", "imul": "mul_", "itruediv": "div_"}
add_methods(SparseTensor, {**_methods, **_in_place})
add_methods(SparseTensor, {f"__{name}__": _in_place[op] for name, op in _operators.items()})
