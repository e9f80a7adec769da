"""`FloatTensor` and its kin: tensors by dtype, as programs were written before PyTorch 0.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._engine import Tensor
from garboard._ops.traits import made_as_before

if TYPE_CHECKING:
    from garboard.types import DType

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
]


class _TypedTensor(type):
    """The type of those names: calling one makes a Tensor, and what has its dtype is of it."""

    dtype: DType

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype == cls.dtype

    def __call__(cls, *given: Any) -> Tensor:
        """Return a tensor of the data, or of the sizes, that are given."""
        return made_as_before(*given, dtype=cls.dtype)


def _typed(name: str, dtype: DType) -> _TypedTensor:
    short = str(dtype).removeprefix("garboard.")
    text = (
        f"Make a tensor of dtype {short}: `gb.tensor(data, dtype=gb.{short})`, or of sizes,\n"
        f"`gb.empty(2, 3, dtype=gb.{short})`. `isinstance` asks whether a tensor is one.\n\n"
        f"    >>> gb.{name}([0, 1]).dtype\n    garboard.{short}\n    "
    )
    return _TypedTensor(name, (), {"__doc__": text, "__module__": "garboard", "dtype": dtype})


BFloat16Tensor: _TypedTensor = _typed("BFloat16Tensor", _engine.bfloat16)
BoolTensor: _TypedTensor = _typed("BoolTensor", _engine.bool)
ByteTensor: _TypedTensor = _typed("ByteTensor", _engine.uint8)
CharTensor: _TypedTensor = _typed("CharTensor", _engine.int8)
DoubleTensor: _TypedTensor = _typed("DoubleTensor", _engine.float64)
FloatTensor: _TypedTensor = _typed("FloatTensor", _engine.float32)
HalfTensor: _TypedTensor = _typed("HalfTensor", _engine.float16)
IntTensor: _TypedTensor = _typed("IntTensor", _engine.int32)
LongTensor: _TypedTensor = _typed("LongTensor", _engine.int64)
ShortTensor: _TypedTensor = _typed("ShortTensor", _engine.int16)
