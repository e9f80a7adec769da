"""Zip files: NumPy's archives, and what PyTorch's `save` writes."""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import Any, BinaryIO

from garboard import _engine
from garboard._engine import GarboardError, Tensor
from garboard.io._dtypes import dtype_named
from garboard.io._elements import read_into, read_npy
from garboard.io._errors import FileError
from garboard.io._unpickling import LONGEST_PICKLE, TorchUnpickler

__all__ = ["read_zip"]


def read_zip(file: BinaryIO, device: Any) -> Any:
    """Return what a zip file holds: a dict of arrays, or PyTorch's nest of tensors."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            if names and all(name.endswith(".npy") for name in names):
                return _read_npz(archive, names, device)
            return _TorchFile(archive, names, device).read()
    except GarboardError:
        raise
    except (
        RuntimeError,  # of a member that is encrypted
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        struct.error,
        UnicodeError,
        KeyError,
    ) as error:
        raise FileError(
            f"load: a broken zip file ({type(error).__name__}); it may be cut off"
        ) from None


def _read_npz(archive: zipfile.ZipFile, names: list[str], device: Any) -> dict[str, Tensor]:
    found = {}
    for name in names:
        with archive.open(name) as member:
            found[name.removesuffix(".npy")] = read_npy(member, device)  # type: ignore[arg-type]
    return found


class _TorchFile:
    """PyTorch's form: `data.pkl` beside one member a storage, all in a folder, none compressed."""

    def __init__(self, archive: zipfile.ZipFile, names: list[str], device: Any) -> None:
        self._archive, self._device = archive, device
        pickles = [name for name in names if name.count("/") == 1 and name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise FileError("load: a zip file without one data.pkl; PyTorch writes it otherwise")
        self._folder = pickles[0].removesuffix("data.pkl")
        if any(name.startswith(f"{self._folder}code/") for name in names):
            raise FileError("load: a TorchScript archive; save the state_dict() of its module")
        self._storages: dict[str, Tensor] = {}
        order = f"{self._folder}byteorder"
        self._check_order(self._bytes(order, 16) if order in names else b"little")

    def _check_order(self, order: bytes) -> None:
        if order != b"little":
            raise FileError("load: a file of big-endian numbers; save it on another machine")

    def _member(self, name: str) -> zipfile.ZipInfo:
        try:
            info = self._archive.getinfo(name)
        except KeyError:
            raise FileError(f"load: {name[:80]} is missing; the file is broken") from None
        if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
            raise FileError(f"load: {name[:80]} is compressed, as PyTorch never writes it")
        return info

    def _bytes(self, name: str, most: int) -> bytes:
        info = self._member(name)
        if info.file_size > most:
            raise FileError(f"load: {name[:80]} has {info.file_size} bytes; fewer are needed")
        return self._archive.read(info)

    def read(self) -> Any:
        text = self._bytes(f"{self._folder}data.pkl", LONGEST_PICKLE)
        return TorchUnpickler(text, self._storage).load()

    def _storage(self, kind: str, key: str, count: int) -> Tensor:
        """The elements of a storage, in one dim; read once."""
        dtype = dtype_named(1, kind)
        if key not in self._storages:
            info = self._member(f"{self._folder}data/{key}")
            if info.file_size != count * dtype.itemsize:
                raise FileError(
                    f"load: storage {key[:40]} has {info.file_size} bytes; "
                    f"{count * dtype.itemsize} are needed"
                )
            # The directory may say anything: what the file holds comes first, memory afterwards.
            if info.header_offset + info.compress_size > self._size():
                raise FileError(f"load: storage {key[:40]} lies beyond the end; it is cut off")
            with self._archive.open(info) as member:
                tensor = read_into(member, _engine.empty(count, dtype=dtype), f"storage {key}")
            self._storages[key] = tensor if self._device is None else tensor.to(self._device)
        found = self._storages[key]
        if found.dtype != dtype or found.numel() != count:
            raise FileError(f"load: storage {key[:40]} is of two dtypes")
        return found

    def _size(self) -> int:
        file: Any = self._archive.fp
        at = file.tell()
        size: int = file.seek(0, 2)
        file.seek(at)
        return size
