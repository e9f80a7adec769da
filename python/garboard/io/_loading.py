"""Reading files: which kind one is, and what it holds. Bounds come first, memory afterwards."""

from __future__ import annotations

import json
import os
from mmap import ACCESS_COPY, mmap
from typing import Any, BinaryIO

from garboard import _engine
from garboard._arguments import check
from garboard._engine import DeviceError, Tensor
from garboard.io._dtypes import dtype_named
from garboard.io._elements import read_into, read_npy
from garboard.io._errors import EmptyFileError, FileError
from garboard.io._older_files import has_older_form, read_older_form
from garboard.io._pickles import Tensors
from garboard.io._tree import decoded
from garboard.io._zips import read_zip

__all__ = ["read", "read_into"]

_TREE = "garboard.tree"
_LONGEST_HEADER = 1 << 24
_ALIGNMENT = 8


def read(f: Any, map_location: Any, is_mapped: bool, is_trusted: bool) -> Any:
    """Return what a path or a binary file holds."""
    device = _device_of(map_location)
    if hasattr(f, "read") and hasattr(f, "seek"):
        return _read_file(f, device, False, is_trusted)
    with open(check.path("load", "f", f), "rb") as file:
        return _read_file(file, device, check.flag("load", "mmap", is_mapped), is_trusted)


def _checked_device(given: Any) -> Any:
    if isinstance(given, (str, _engine.device)):
        return given
    raise TypeError(
        f"load: map_location is of type {type(given).__name__}; a device, a dict of devices, a "
        "function or None is needed"
    )


def _device_of(given: Any) -> Any:
    """The device to bring tensors to, or None."""
    if isinstance(given, dict):
        places = {str(_checked_device(place)) for place in dict.values(given)}
        given = places.pop() if len(places) == 1 else None
    if given is None or callable(given):
        return None
    found = _checked_device(given)
    _engine.empty(0, device=found)  # says so now where it is not there
    return None if str(found) == "cpu" else found


def _read_file(file: BinaryIO, device: Any, is_mapped: bool, is_trusted: bool) -> Any:
    start = file.tell()
    size = file.seek(0, os.SEEK_END) - start
    file.seek(start)
    head = file.read(64)
    file.seek(start)
    magic = head[:9]
    if magic[:4] == b"PK\x03\x04":
        return read_zip(file, device)
    if magic[:6] == b"\x93NUMPY":
        return read_npy(file, device)
    if len(magic) == 9 and magic[8:] == b"{":
        return _Safetensors(file, size, device, is_mapped).read(is_trusted)
    if has_older_form(head):
        return read_older_form(file, size, device)
    if magic[:1] == b"\x80":
        raise FileError(
            "load: a pickle, which could run any code; load it with what wrote it and use gb.save"
        )
    raise (FileError if size else EmptyFileError)(
        f"load: a file of {size} bytes of an unknown kind; safetensors, .npy, .npz, or a .pt file "
        "of PyTorch 0.4 or newer is needed"
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise FileError("load: a header that gives a name twice")
    return found


def _parsed(text: bytes | str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except FileError:
        raise
    except (ValueError, RecursionError):
        raise FileError("load: a header that is no JSON; the file is broken") from None


class _Safetensors:
    """A file of a header, JSON of names, and the bytes of all tensors behind it."""

    def __init__(self, file: BinaryIO, size: int, device: Any, is_mapped: bool) -> None:
        self._file, self._device, self._size = file, device, size
        start = file.tell()
        length = int.from_bytes(file.read(8), "little")
        if length > min(_LONGEST_HEADER, size - 8):
            raise FileError(
                f"load: a header of {length} bytes in a file of {self._size}; it is cut off, or no "
                "safetensors file"
            )
        self._base = start + 8 + length
        header = _parsed(file.read(length))
        if not isinstance(header, dict):
            raise FileError("load: a header that is no JSON object; the file is broken")
        metadata = header.pop("__metadata__", {})
        self._tree = metadata.get(_TREE) if isinstance(metadata, dict) else None
        self._entries = {name: self._checked(name, it) for name, it in header.items()}
        self._check_places(size - 8 - length)
        self._made: dict[str, Tensor] = {}
        self._map = memoryview(mmap(file.fileno(), 0, access=ACCESS_COPY)) if is_mapped else None

    def _checked(self, name: str, entry: Any) -> tuple[_engine.dtype, list[int], int, int]:
        try:
            kind = str(entry["dtype"])
            shape, (start, end) = entry["shape"], entry["data_offsets"]
            numbers = [*shape, start, end]
        except (KeyError, TypeError, ValueError):
            raise FileError(f"load: the entry of {name[:80]} is broken") from None
        dtype = dtype_named(0, kind)
        if any(type(it) is not int or not 0 <= it < 1 << 62 for it in numbers) or len(shape) > 8:
            raise FileError(f"load: sizes or places of {name[:80]} out of range")
        count = 1
        for one in shape:
            count *= one
        if end - start != count * dtype.itemsize:
            raise FileError(
                f"load: {name[:80]} has {end - start} bytes; {count * dtype.itemsize} are needed"
            )
        return dtype, shape, start, end

    def _check_places(self, count: int) -> None:
        """Tensors lie side by side: no byte is read twice."""
        at = 0
        for _, _, start, end in sorted(self._entries.values(), key=lambda it: it[2:]):
            if start != at:
                raise FileError("load: tensors that overlap, or leave holes; the file is broken")
            at = end
        if (missing := at - count) > 0:
            raise FileError(f"load: {missing} of {at} bytes of tensors are missing; it is cut off")

    def read(self, is_trusted: bool) -> Any:
        if self._tree is not None:
            named = Tensors(self._tensor, is_trusted)
            try:
                return decoded(_parsed(str(self._tree)), named)
            except FileError:
                raise
            except (DeviceError, KeyError, OverflowError, TypeError, ValueError) as error:
                raise FileError(f"load: metadata that save() does not write ({error})") from error
        return {name: self._tensor(name) for name in self._entries}

    def _tensor(self, name: str) -> Tensor:
        if name in self._made:
            return self._made[name].alias()
        if name not in self._entries:
            raise FileError("load: metadata that names a tensor that is not there")
        dtype, shape, start, end = self._entries[name]
        place = self._base + start
        if self._map is None or start == end or place % dtype.itemsize:
            self._file.seek(place)
            tensor = read_into(self._file, _engine.empty(shape, dtype=dtype), name)
        else:
            raw = _engine.from_numpy(self._map[place : place + end - start])
            tensor = raw if dtype == _engine.uint8 else self._retyped(place, end - start, dtype)
            tensor = tensor.reshape(shape)
        if self._device is not None:
            tensor = tensor.to(self._device)
        self._made[name] = tensor
        return tensor

    def _retyped(self, place: int, count: int, dtype: _engine.dtype) -> Tensor:
        """The bytes of the map as another dtype."""
        form: Any = _FORMATS.get(str(dtype).rpartition(".")[2])
        assert self._map is not None
        if form is None:
            self._file.seek(place)
            empty = _engine.empty(count // dtype.itemsize, dtype=dtype)
            return read_into(self._file, empty, "a tensor")
        return _engine.from_numpy(self._map[place : place + count].cast(form))


_FORMATS = {
    "float64": "d",
    "float32": "f",
    "int64": "q",
    "int32": "i",
    "int16": "h",
    "int8": "b",
    "bool": "?",
}
