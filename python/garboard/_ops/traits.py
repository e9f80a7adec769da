"""What programs for PyTorch ask of a tensor's kind: it is dense, on the CPU or a CUDA device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._engine import DeviceError, DTypeError, Storage, Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard._arguments.layouts import layout
    from garboard.storage import TypedStorage
    from garboard.types import Device, DType

__all__ = ["NEVER", "is_neg", "made_as_before"]

#: Of kinds that there are not: layouts, numbers, devices.
NEVER = (
    "is_ipu",
    "is_maia",
    "is_mkldnn",
    "is_mps",
    "is_mtia",
    "is_nested",
    "is_quantized",
    "is_sparse",
    "is_sparse_csr",
    "is_vulkan",
    "is_xla",
    "is_xpu",
)


def _never(name: str) -> property:
    def answer(self: Tensor) -> bool:
        _engine._require_living(self, name)
        return False

    return property(answer, doc="False: there is no such kind of tensor.")


def _is_cpu(self: Tensor) -> bool:
    _engine._require_living(self, "is_cpu")
    return self.device.type == "cpu"


def _is_meta(self: Tensor) -> bool:
    _engine._require_living(self, "is_meta")
    return self.device.type == "meta"


def _output_nr(self: Tensor) -> int:
    _engine._require_living(self, "output_nr")
    return 0


def _layout(self: Tensor) -> layout:
    from garboard._arguments.layouts import strided

    _engine._require_living(self, "layout")
    return strided


def is_neg(input: Tensor) -> bool:
    """Return False: what was negated is so in memory.

    Args:
        input: Tensor of any dtype.

    Returns:
        False.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.is_neg(-gb.ones(2))
    False
    """
    _engine._require_living(check.tensor("is_neg", "input", input), "is_neg")
    return False


def is_shared(self: Tensor) -> bool:
    """Return False: memory belongs to one process.

    >>> gb.ones(2).is_shared()
    False
    """
    _engine._require_living(self, "is_shared")
    return False


def made_as_before(*given: Any, **options: Any) -> Tensor:
    """A tensor of sizes or of data, or over a storage.

    A `Size` alone is sizes, a tuple or a list is data.
    """
    if len(given) == 1:
        from garboard.storage import TypedStorage

        if isinstance(given[0], (Storage, TypedStorage)):
            return _over(given[0], **options)
        if isinstance(given[0], _engine._Size):
            return _engine.empty(given[0], **options)
    return Tensor(*given, **options)


def _over(storage: Storage | TypedStorage, dtype: DType, device: Device) -> Tensor:
    """A tensor of all elements of a storage, whose memory it shares."""
    made, where = storage.untyped()._elements(dtype), _engine.device(device)
    if not isinstance(storage, Storage) and storage.dtype != made.dtype:
        raise DTypeError(
            f"new: a storage of dtype {storage.dtype}, for a tensor of {made.dtype}; one of the "
            "same, or one of bytes, is needed"
        )
    if made.device != where:
        raise DeviceError(
            f"new: a storage on {made.device}, for a tensor on {where}; they must be on one "
            "device, use to()"
        )
    return made


def new(self: Tensor, *given: Any, device: Device | None = None, **named: Any) -> Tensor:
    """Make a tensor of this one's dtype and device, as programs did before `new_zeros`.

    Args:
        given: Sizes, one by one or as a `Size`; or data; or a storage, whose memory it shares.
        device: Where; by default where this one is.
        **named: The same by name: `size` of several sizes; or one of `data`, `other`, which is a
            tensor, and `storage`.

    Returns:
        A new tensor: of sizes, with whatever was in memory; of data, with them.

    Raises:
        TypeError: Neither sizes nor data, or both.
        ShapeError: A negative size.
        DTypeError: A storage of elements of another dtype.
        DeviceError: A storage on another device.

    >>> gb.ones(2, dtype=gb.int64).new([1, 2]).dtype
    garboard.int64
    >>> gb.ones(2).new(size=(2, 3)).shape
    (2, 3)
    """
    where = self.device if device is None else device
    if named:
        (name, value), *more = named.items()
        if given or more or name not in ("size", "data", "other", "storage"):
            raise TypeError(
                f"new: {len(given)} arguments, and by name {', '.join(map(shown, named))}; one "
                "of size, data, other and storage alone is needed"
            )
        given = (_engine._Size(check.sizes("new", "size", value)) if name == "size" else value,)
    return made_as_before(*given, dtype=self.dtype, device=where)


def _contains(self: Tensor, element: object) -> bool:
    _engine._require_living(self, "in")
    if not isinstance(element, (Tensor, bool, int, float, complex)):
        raise TypeError(
            f"in: an element of type {type(element).__name__}; a Tensor or a number is needed"
        )
    return bool((self == element).any())


def _reversed(self: Tensor) -> Tensor:
    return self.flip(0) if self.ndim else self


add_methods(
    Tensor,
    {
        "__contains__": _contains,
        "__reversed__": _reversed,
        **{name: _never(name) for name in NEVER},
        "is_meta": property(_is_meta, doc="True where the tensor has no elements, only sizes."),
        "is_cpu": property(_is_cpu, doc="True where the tensor is on the CPU."),
        "is_neg": is_neg,
        "is_shared": is_shared,
        "layout": property(_layout, doc="`gb.strided`: all tensors are dense."),
        "new": new,
        "output_nr": property(_output_nr, doc="0: each result has a node of its own."),
    },
)

all_overridable(globals())
