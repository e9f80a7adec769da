"""`cuda.FloatTensor` and its kin: tensors by dtype on the current GPU, for older programs."""

from __future__ import annotations

from garboard import _engine
from garboard._ops.typed_tensors import _TypedTensor, typed

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

BFloat16Tensor: _TypedTensor = typed("BFloat16Tensor", _engine.bfloat16, "cuda")
BoolTensor: _TypedTensor = typed("BoolTensor", _engine.bool, "cuda")
ByteTensor: _TypedTensor = typed("ByteTensor", _engine.uint8, "cuda")
CharTensor: _TypedTensor = typed("CharTensor", _engine.int8, "cuda")
DoubleTensor: _TypedTensor = typed("DoubleTensor", _engine.float64, "cuda")
FloatTensor: _TypedTensor = typed("FloatTensor", _engine.float32, "cuda")
HalfTensor: _TypedTensor = typed("HalfTensor", _engine.float16, "cuda")
IntTensor: _TypedTensor = typed("IntTensor", _engine.int32, "cuda")
LongTensor: _TypedTensor = typed("LongTensor", _engine.int64, "cuda")
ShortTensor: _TypedTensor = typed("ShortTensor", _engine.int16, "cuda")
