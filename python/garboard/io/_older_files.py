"""PyTorch's form of before 1.6: five pickles one after another, then the bytes of all storages.

The pickles are a number, the form's version, what the machine was, the nest of tensors, and the
keys of the storages in the order in which they follow.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from garboard import _engine
from garboard._engine import Tensor
from garboard.io._dtypes import dtype_named
from garboard.io._elements import read_into
from garboard.io._errors import FileError
from garboard.io._unpickling import LONGEST_PICKLE, TorchUnpickler

__all__ = ["has_older_form", "read_older_form"]

_MAGIC = 0x1950A86A20F9469CFC6C
_VERSION = 1001
_LONGEST_HEAD = 64  # bytes up to the end of the first pickle, whatever its protocol


def has_older_form(head: bytes) -> bool:
    """Tell by the first bytes of a file; 64 are enough."""
    return head[:1] == b"\x80" and _MAGIC.to_bytes(10, "little") in head[:_LONGEST_HEAD]


def read_older_form(file: BinaryIO, size: int, device: Any) -> Any:
    """Return the nest of tensors in a file of `size` bytes from where it stands."""
    return _OlderFile(file, size, device).read()


class _OlderFile:
    def __init__(self, file: BinaryIO, size: int, device: Any) -> None:
        self._file, self._size, self._device = file, size, device
        self._start = file.tell()
        self._text = file.read(min(size, LONGEST_PICKLE))
        self._storages: dict[str, Tensor] = {}
        self._asked = 0  # bytes of all storages

    def read(self) -> Any:
        (magic, version, system), at = self._values(3, 0)
        if magic != _MAGIC or version != _VERSION or type(system) is not dict:
            raise FileError("load: a pickle that is no file of PyTorch's")
        if system.get("little_endian") is not True:
            raise FileError("load: a file of big-endian numbers; save it on another machine")
        # Once for the storages, and again with what is in them: a tensor may be a copy of its own.
        (_, keys), end = self._values(2, at, is_filled=False)
        self._fill(keys, end)
        (found,), _ = self._values(1, at)
        return found

    def _values(self, count: int, at: int, is_filled: bool = True) -> tuple[list[Any], int]:
        """The next values from byte `at` on, and where they end."""
        found = []
        for _ in range(count):
            unpickler = TorchUnpickler(self._text, self._storage, at, is_filled)
            found.append(unpickler.load())
            at = unpickler.end
        return found, at

    def _storage(self, kind: str, key: str, count: int) -> Tensor:
        """The elements of a storage, in one dim."""
        dtype = dtype_named(1, kind)
        if key not in self._storages:
            self._asked += count * dtype.itemsize
            if self._asked > self._size:  # what the file holds comes first, memory afterwards
                raise FileError(
                    f"load: storages of {self._asked} bytes in a file of {self._size}; "
                    "it is cut off"
                )
            self._storages[key] = _engine.empty(count, dtype=dtype)
        found = self._storages[key]
        if found.dtype != dtype or found.numel() != count:
            raise FileError(f"load: storage {key[:40]} is of two dtypes or sizes")
        return found

    def _fill(self, keys: Any, end: int) -> None:
        """Read the storages, which follow from byte `end` on, each behind its count."""
        are_texts = type(keys) is list and all(type(key) is str for key in keys)
        if not are_texts or sorted(keys) != sorted(self._storages):
            raise FileError("load: a list of storages that are not those of the tensors")
        self._file.seek(self._start + end)
        for key in keys:
            storage = self._storages[key]
            count = int.from_bytes(self._file.read(8), "little")
            if count != storage.numel():
                raise FileError(
                    f"load: storage {key[:40]} has {count} elements; {storage.numel()} are needed"
                )
            filled = read_into(self._file, storage, f"storage {key}")
            self._storages[key] = filled if self._device is None else filled.to(self._device)
