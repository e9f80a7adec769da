"""How tensors take part in Python's and NumPy's protocols: copying, formatting, arrays."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown, told
from garboard._contexts.grad_mode import no_grad
from garboard._engine import GradientError, ShapeError, Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["attributes_on"]


def _array(self: Tensor, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
    """Return a NumPy array over the same memory, or a converted copy."""
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(
                f"__array__: {array.dtype} to {told(dtype)} without a copy; allow the copy"
            )
        return array.astype(dtype)
    return array.copy() if copy else array


def _deepcopy(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    """Copy a leaf's storage, whether it asks for a gradient, the one it has, and its attributes.

    Tensors that share a storage share its copy, in the same copying.

    Raises:
        GradientError: The tensor was computed by recorded ops; their graph cannot be copied.
        DisposedError: The tensor has ended.
        TypeError: `memo` is no dict.
    """
    _engine._require_living(self, "deepcopy")
    if not self.is_leaf:
        raise GradientError(
            "deepcopy: a tensor computed by recorded ops; copy detach() of it, or a leaf"
        )
    check.of_type(dict, "deepcopy", "memo", memo)
    known: Tensor | None = memo.get(id(self))
    if known is not None:
        return known
    # A class of a program's own would be asked of a copy that lacks its attributes yet.
    is_overridden = _engine._set_overriding(None)
    _engine._set_overriding(False)
    try:
        with no_grad():
            result = _copied(self.detach(), memo.setdefault(_STORAGES, {}))
        memo[id(self)] = result = _of_class(type(self), result)
        result.requires_grad_(self.requires_grad)
        if self.grad is not None:
            result.grad = _deepcopy(self.grad, memo)
    finally:
        _engine._set_overriding(is_overridden)
    if attributes := attributes_on(self):
        from copy import deepcopy

        for name, value in attributes.items():
            setattr(result, name, deepcopy(value, memo))
    return result


def _of_class(kind: type[Tensor], made: Tensor) -> Tensor:
    """`made` as an object of a class made of Tensor, whose own way to make one is not asked."""
    return made if kind is Tensor else Tensor.as_subclass(made, kind)


def attributes_on(tensor: Tensor) -> dict[str, Any]:
    """What a program has set on a tensor."""
    return {**(_engine._set_attributes(tensor) or {}), **getattr(tensor, "__dict__", {})}


_STORAGES = "garboard"  # in a memo: the copies of storages, as bytes, by their serial numbers


def _copied(tensor: Tensor, copies: dict[int, Tensor]) -> Tensor:
    """The tensor over a copy of its whole storage, which is made once."""
    storage, width = tensor.untyped_storage(), tensor.itemsize
    count = storage.nbytes() // width
    if not tensor.numel() or count * width != storage.nbytes():
        return tensor.clone()
    if storage.serial not in copies:
        whole = tensor.as_strided((count,), (1,), 0)
        copies[storage.serial] = whole.clone().view(_engine.uint8)
    flat = copies[storage.serial].view(tensor.dtype)
    return flat.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _format(self: Tensor, spec: str) -> str:
    """Format the element of a tensor without dims as a number, else what `repr` shows to a width.

    Raises:
        ShapeError: A number's format, and several elements or none.
        DisposedError: A number's format, and the tensor has ended.
    """
    # With a precision, a format for text would cut the text off.
    is_of_number = "." in spec or (spec[-1:].isalpha() and spec[-1] != "s")
    if self.is_disposed and not is_of_number:
        return format(repr(self), spec)
    _engine._require_living(self, "format")
    if (self.ndim == 0 and type(self) is Tensor) or (is_of_number and self.numel() == 1):
        return format(self.item(), spec)
    if not is_of_number:
        return format(repr(self), spec)
    format(0.0, spec)  # where that is no format at all, it says so
    raise ShapeError(
        f"format: a tensor of sizes {list(self.shape)} as {shown(spec)}; one element is needed, or "
        "set_printoptions(precision=...) for all of them"
    )


def _copy(self: Tensor) -> Tensor:
    """Return another alias of the same storage, as `copy.copy` of a tensor."""
    _engine._require_living(self, "copy")
    made = self.detach() if self.is_leaf else self.alias()
    result = _of_class(type(self), made)
    if self.is_leaf:
        result.requires_grad_(self.requires_grad)
    for name, value in attributes_on(self).items():
        setattr(result, name, value)
    return result


def _reduce(self: Tensor, protocol: Any) -> tuple[Any, ...]:
    """Say how the elements are pickled: out of band where protocol 5 is given buffers.

    One that was computed by recorded ops becomes a leaf, as a file of `gb.save` makes it.

    Raises:
        DisposedError: The tensor has ended.
    """
    _engine._require_living(self, "pickle")
    with no_grad():
        dense = self.detach().cpu().contiguous()
    if self.dtype is _engine.bfloat16:  # Python's buffers have no code for it
        dense = dense.view(_engine.int16)
    name = str(self.dtype).rpartition(".")[2]
    known: tuple[Any, ...] = (tuple(self.shape), name, str(self.device), self.requires_grad)
    if attributes := attributes_on(self):
        known = (*known, attributes)
    if not dense.numel():
        return _unpickled, (type(self), b"", *known)
    if protocol >= 5:
        from pickle import PickleBuffer

        return _unpickled, (type(self), PickleBuffer(dense), *known)
    return _unpickled, (type(self), bytes(memoryview(dense).cast("B")), *known)


def _unpickled(
    kind: type[Tensor],
    data: Any,
    shape: tuple[int, ...],
    dtype_name: str,
    device: str,
    requires_grad: bool,
    attributes: dict[str, Any] | None = None,
) -> Tensor:
    """Make a tensor of what `_reduce` told, with memory of its own.

    Raises:
        TypeError: The arguments are those of no tensor.
        ShapeError: More or fewer bytes than the sizes ask for.
    """
    dtype = getattr(_engine, check.text("unpickle", "dtype", dtype_name), None)
    if not isinstance(dtype, _engine.dtype) or not issubclass(kind, Tensor):
        raise TypeError(f"unpickle: dtype {shown(dtype_name)} of {shown(kind)}; a tensor is needed")
    needed = prod(check.sizes("unpickle", "shape", shape)) * dtype.itemsize
    given = memoryview(data).cast("B") if needed else memoryview(b"")
    if given.nbytes != needed:
        raise ShapeError(
            f"unpickle: {given.nbytes} bytes for sizes {list(shape)}; {needed} are needed"
        )
    tensor = _engine.empty(shape, dtype=dtype)
    if needed:
        target = tensor
        if dtype is _engine.bfloat16:
            target = tensor.view(_engine.int16)
        with memoryview(target) as room, room.cast("B") as raw:
            raw[:] = given
    if device != "cpu":
        tensor = tensor.to(device)
    tensor = _of_class(kind, tensor).requires_grad_(requires_grad)
    for key, value in (attributes or {}).items():
        setattr(tensor, key, value)
    return tensor


add_methods(
    Tensor,
    {
        "__array__": _array,
        "__copy__": _copy,
        "__deepcopy__": _deepcopy,
        "__format__": _format,
        "__reduce_ex__": _reduce,
    },
)
