"""`FloatTensor` and its kin: tensors by dtype, as programs were written before PyTorch 0.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments.texts import shown
from garboard._engine import DeviceError, Tensor
from garboard._ops.traits import made_as_before

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "typed",
]


class _TypedTensor(type):
    """The type of those names: calling one makes a Tensor, and what has its dtype is of it."""

    dtype: DType
    device_type: str

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, Tensor)
            and instance.dtype == cls.dtype
            and instance.device.type == cls.device_type
        )

    def __call__(cls, *given: Any, device: Device | None = None, **named: Any) -> Tensor:
        """Return a tensor of the data, or of the sizes, that are given, on a device of its kind."""
        if named:
            raise TypeError(
                f"{cls.__name__}: no parameter is named {shown(next(iter(named)))}; the dtype is "
                "that of the name, gb.tensor() takes others"
            )
        where = _engine.device(cls.device_type if device is None else device)
        if where.type != cls.device_type:
            raise DeviceError(
                f"{cls.__name__}: device {where}; one of the kind {cls.device_type} is needed, "
                "gb.tensor() takes others"
            )
        return made_as_before(*given, dtype=cls.dtype, device=where)


def typed(name: str, dtype: DType, device_type: str = "cpu") -> _TypedTensor:
    """Return the type of tensors of a dtype on a kind of device, named so."""
    short = str(dtype).removeprefix("garboard.")
    module = "garboard" if device_type == "cpu" else f"garboard.{device_type}"
    where = "" if device_type == "cpu" else f", device='{device_type}'"
    text = (
        f"Make a tensor of dtype {short}: `gb.tensor(data, dtype=gb.{short}{where})`,\n"
        f"or of sizes, `gb.empty(2, 3, dtype=gb.{short}{where})`. `isinstance` asks whether a\n"
        "tensor is one."
    )
    if device_type == "cpu":
        text += f"\n\n    >>> gb.{name}([0, 1]).dtype\n    garboard.{short}\n    "
    parts = {"__doc__": text, "__module__": module, "dtype": dtype, "device_type": device_type}
    return _TypedTensor(name, (), parts)


BFloat16Tensor: _TypedTensor = typed("BFloat16Tensor", _engine.bfloat16)
BoolTensor: _TypedTensor = typed("BoolTensor", _engine.bool)
ByteTensor: _TypedTensor = typed("ByteTensor", _engine.uint8)
CharTensor: _TypedTensor = typed("CharTensor", _engine.int8)
DoubleTensor: _TypedTensor = typed("DoubleTensor", _engine.float64)
FloatTensor: _TypedTensor = typed("FloatTensor", _engine.float32)
HalfTensor: _TypedTensor = typed("HalfTensor", _engine.float16)
IntTensor: _TypedTensor = typed("IntTensor", _engine.int32)
LongTensor: _TypedTensor = typed("LongTensor", _engine.int64)
ShortTensor: _TypedTensor = typed("ShortTensor", _engine.int16)
