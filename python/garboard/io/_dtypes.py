"""What the formats call the dtypes; those that the engine lacks are not read."""

from __future__ import annotations

from garboard import _engine
from garboard.io._errors import FileError

__all__ = ["NAMES", "dtype_named", "raw_bytes"]

# By the engine's names: safetensors', and PyTorch's storages'.
NAMES = {
    "complex128": ("C128", "ComplexDoubleStorage"),
    "complex64": ("C64", "ComplexFloatStorage"),
    "float64": ("F64", "DoubleStorage"),
    "float32": ("F32", "FloatStorage"),
    "float16": ("F16", "HalfStorage"),
    "bfloat16": ("BF16", "BFloat16Storage"),
    "int64": ("I64", "LongStorage"),
    "int32": ("I32", "IntStorage"),
    "int16": ("I16", "ShortStorage"),
    "int8": ("I8", "CharStorage"),
    "uint8": ("U8", "ByteStorage"),
    "bool": ("BOOL", "BoolStorage"),
}


def dtype_named(place: int, name: str) -> _engine.dtype:
    """The dtype that a format (0: safetensors, 1: PyTorch's storages) gives a name."""
    for ours, theirs in NAMES.items():
        if theirs[place] == name:
            found = getattr(_engine, ours, None)
            if isinstance(found, _engine.dtype):
                return found
            raise FileError(f"load: tensors of {ours}, a dtype that is not in garboard yet")
    raise FileError(f"load: tensors of an unknown dtype, {name[:40]}; {', '.join(NAMES)} are read")


def raw_bytes(tensor: _engine.Tensor) -> memoryview:
    """The bytes of a dense tensor on the CPU."""
    if tensor.dtype is _engine.bfloat16:  # Python's buffers have no code for it
        tensor = tensor.view(_engine.int16)
    return memoryview(tensor).cast("B") if tensor.numel() else memoryview(b"")
