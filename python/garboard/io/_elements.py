"""Elements out of a file, whatever its format."""

from __future__ import annotations

from typing import Any, BinaryIO

from garboard import _engine
from garboard._engine import Tensor
from garboard.io._dtypes import raw_bytes
from garboard.io._errors import FileError

__all__ = ["read_into", "read_npy"]


def read_into(file: Any, tensor: Tensor, name: str) -> Tensor:
    """Fill a new tensor with what comes next."""
    with raw_bytes(tensor) as room:
        done = 0
        while done < room.nbytes:
            count = _read(file, room[done : done + (1 << 26)])
            if not count:
                raise FileError(f"load: {name[:80]} is cut off after {done} of {room.nbytes} bytes")
            done += count
    return tensor


def _read(file: Any, room: memoryview) -> int:
    """Read as `readinto` does, also of a file that has `read` alone."""
    if hasattr(file, "readinto"):
        return int(file.readinto(room) or 0)
    found = file.read(room.nbytes)
    if not isinstance(found, (bytes, bytearray)) or len(found) > room.nbytes:
        raise FileError(
            f"load: a file whose read() of {room.nbytes} bytes gave something else; at most so "
            "many bytes are needed"
        )
    room[: len(found)] = found
    return len(found)


def read_npy(file: BinaryIO, device: Any) -> Tensor:
    import numpy as np

    try:
        array = np.load(file, allow_pickle=False)
    except (OSError, MemoryError):
        raise
    except Exception:  # NumPy parses the header as a Python expression, which fails in many ways
        raise FileError("load: a broken .npy file, or one of objects") from None
    tensor = _engine.from_numpy(np.ascontiguousarray(array))
    return tensor if device is None else tensor.to(device)
