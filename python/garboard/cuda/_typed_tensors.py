"""`cuda.FloatTensor` and its kin: tensors by dtype on the current GPU, for older programs."""

from __future__ import annotations

from garboard import _engine
from garboard._ops.typed_tensors import typed

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

BFloat16Tensor = typed("BFloat16Tensor", _engine.bfloat16, "cuda")
BoolTensor = typed("BoolTensor", _engine.bool, "cuda")
ByteTensor = typed("ByteTensor", _engine.uint8, "cuda")
CharTensor = typed("CharTensor", _engine.int8, "cuda")
DoubleTensor = typed("DoubleTensor", _engine.float64, "cuda")
FloatTensor = typed("FloatTensor", _engine.float32, "cuda")
HalfTensor = typed("HalfTensor", _engine.float16, "cuda")
IntTensor = typed("IntTensor", _engine.int32, "cuda")
LongTensor = typed("LongTensor", _engine.int64, "cuda")
ShortTensor = typed("ShortTensor", _engine.int16, "cuda")
