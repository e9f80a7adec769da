"""DLPack: memory shared with NumPy, PyTorch, JAX and others, without a copy.

https://dmlc.github.io/dlpack/latest/python_spec.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard.types import Device

__all__ = ["SupportsDLPack", "from_dlpack", "to_dlpack"]

_CPU, _CUDA, _PINNED = 1, 2, 3  # device types of the specification


class SupportsDLPack(Protocol):
    """What `from_dlpack` takes: an array of any library that speaks DLPack."""

    def __dlpack__(self, *, stream: Any = None) -> object:
        """Return a capsule."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return the type and the number of the device."""


def _numbers(op: str, name: str, given: object) -> tuple[int, int]:
    """Return two numbers that name a device."""
    pair = check.of_type(tuple, op, name, given)
    if len(pair) != 2:
        raise ValueError(f"{op}: {name} of {len(pair)} numbers; two are needed")
    return check.integer(op, name, pair[0]), check.integer(op, name, pair[1])


def _version(given: object) -> int:
    """Return the major version that a consumer understands; 0 where it says none."""
    if given is None:
        return 0
    parts = check.of_type(tuple, "__dlpack__", "max_version", given)
    if len(parts) != 2:
        raise ValueError(f"__dlpack__: max_version of {len(parts)} numbers; two are needed")
    return check.integer("__dlpack__", "max_version", parts[0])


def _dlpack(
    self: Tensor,
    *,
    stream: int | None = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> object:
    """Return a capsule over the elements, for whoever imports them: `from_dlpack` of any library.

    Args:
        stream: None or -1: the CPU has none to wait for.
        max_version: The version that the consumer understands. From (1, 0) on the capsule tells
            whether the memory may be written.
        dl_device: (1, 0) asks for the CPU's memory, a copy of what lies elsewhere.
        copy: True asks for a copy, False refuses one.

    Returns:
        A capsule that holds the storage, even after `dispose()`, until it is taken and given back.

    Raises:
        BufferError: The tensor requires grad, lies elsewhere, or a copy would be needed.
        ValueError: `stream` is one, or `max_version` has not two numbers.
        TypeError: An argument is of another type.
        DisposedError: The tensor is disposed.
    """
    op = "__dlpack__"
    _engine._require_living(self, op)
    if stream is not None and stream != -1:
        raise ValueError(f"{op}: stream {shown(stream)}; None is needed, the CPU has no streams")
    version = _version(max_version)
    if dl_device is not None:
        kind, _ = _numbers(op, "dl_device", dl_device)
        if kind != _CPU:
            raise BufferError(f"{op}: device type {kind}; the CPU's is needed, which is 1")
        if self.device.type != "cpu" and copy is False:
            raise BufferError(f"{op}: a tensor on {self.device} without a copy; allow the copy")
    source = self
    if dl_device is not None and self.device.type != "cpu":
        source = self.cpu()
    elif copy:
        source = self.clone()
    return source._dlpack(version >= 1, source is not self)


def _dlpack_device(self: Tensor) -> tuple[int, int]:
    """Return the device as DLPack numbers it: (1, 0) for the CPU, (2, i) for `cuda:i`.

    Raises:
        BufferError: The device is another.
        DisposedError: The tensor is disposed.
    """
    device = self.device
    if device.type == "cpu":
        return _CPU, 0
    if device.type == "cuda":
        return _CUDA, device.index or 0
    raise BufferError(f"__dlpack_device__: a tensor on {device}; copy it with cpu() first")


def from_dlpack(
    ext_tensor: SupportsDLPack | object,
    *,
    device: Device | None = None,
    copy: bool | None = None,
) -> Tensor:
    """Share the memory of an array of another library.

    Writes are seen by both, unless its owner says that it may only be read. The storage keeps the
    array alive; the bytes count as foreign: no limit holds them.

    Args:
        ext_tensor: An array with `__dlpack__`, of NumPy or PyTorch say, or a capsule of DLPack. Its
            elements lie on the CPU.
        device: Where the result is wanted; a copy where that is elsewhere.
        copy: True copies, False refuses to; None copies where it must.

    Returns:
        A tensor of the array's sizes, strides and dtype, in no graph.

    Raises:
        TypeError: It is no array that speaks DLPack, or a capsule that was taken.
        DTypeError: No dtype is the array's.
        ShapeError: It has more than 8 dims, or sizes that no memory holds.
        DeviceError: Its memory is not the CPU's, or `device` cannot be used.
        BufferError: Its owner refuses, or copies though `copy` is False.

    >>> import numpy
    >>> array = numpy.zeros(2)
    >>> x = gb.from_dlpack(array)
    >>> array[0] = 1
    >>> x
    tensor([1., 0.], dtype=garboard.float64)
    """
    op = "from_dlpack"
    if copy is not None:
        check.flag(op, "copy", copy)
    given: Any = ext_tensor
    if type(given).__name__ != "PyCapsule":
        kind = type(given)
        if not hasattr(kind, "__dlpack__") or not hasattr(kind, "__dlpack_device__"):
            raise TypeError(
                f"{op}: data {shown(given)}; an array with __dlpack__ or a capsule is needed"
            )
        type_and_number = _numbers(op, "__dlpack_device__()", given.__dlpack_device__())
        if type_and_number[0] not in (_CPU, _PINNED):
            raise _engine.DeviceError(
                f"{op}: memory of device type {type_and_number[0]}; the CPU's is needed, which is "
                "1: let its owner copy it first"
            )
        given = _capsule_of(given, copy)
    shared = _engine._from_dlpack(given)
    if device is None or shared.device == _engine.device(device):
        return shared
    if copy is False:
        raise BufferError(f"{op}: to {shown(device)} without a copy; allow the copy")
    return shared.to(device)


def _capsule_of(array: Any, copy: bool | None) -> object:
    """Return the capsule of an array of whatever age."""
    try:
        asked = {} if copy is None else {"copy": copy}
        return array.__dlpack__(max_version=(1, 0), **asked)
    except TypeError:  # one that knows no versions, and so no `copy`
        if copy is not None:
            raise
        return array.__dlpack__()


def to_dlpack(tensor: Tensor) -> object:
    """Return a capsule of DLPack over the elements, without a version as older libraries want it.

    Args:
        tensor: A tensor on the CPU that requires no gradient.

    Returns:
        A capsule that may be taken once; it holds the storage until then.

    Raises:
        BufferError: The tensor requires grad, lies elsewhere, or may only be read.
        TypeError: It is no tensor.
        DisposedError: The tensor is disposed.

    >>> gb.from_dlpack(gb.to_dlpack(gb.ones(2)))
    tensor([1., 1.])
    """
    return check.tensor("to_dlpack", "tensor", tensor)._dlpack(False, False)


add_methods(Tensor, {"__dlpack__": _dlpack, "__dlpack_device__": _dlpack_device})
