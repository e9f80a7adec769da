"""Values of Python's library and of NumPy's in a file's metadata, each by a letter of its own.

What a letter makes is fixed here: of dates and paths texts are kept, of arrays the bytes, and
nothing that a file names is looked up or called.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any

from garboard import _engine
from garboard._engine import Tensor
from garboard.io._dtypes import NAMES
from garboard.io._errors import FileError

__all__ = ["TAGGED", "tagged"]

_PLAIN = re.compile(r"[<>|=][biufcSUmM]\d{1,6}(\[\d{0,9}[a-zA-Z]{1,2}\])?")
_DATED = ("datetime", "date", "time")


def tagged(value: Any, path: str, keep: Callable[[str, Tensor], str]) -> list[Any] | None:
    """Return the JSON of a value of these, or None; `Namespace` is not done here."""
    import datetime
    from pathlib import PurePath

    if type(value) is complex:
        return ["c", [value.real, value.imag]]
    if isinstance(value, PurePath):
        return ["h", str(value)]
    for name in _DATED:
        if type(value) is getattr(datetime, name):
            return ["i", [name, value.isoformat()]]
    if type(value) is datetime.timedelta:
        return ["i", ["timedelta", [value.days, value.seconds, value.microseconds]]]
    if not hasattr(value, "__array_interface__"):
        return None
    import numpy as np

    if not isinstance(value, np.ndarray) or value.dtype.hasobject or value.dtype.names:
        return None
    if value.dtype.isnative and value.dtype.kind in "biufc" and value.dtype.name in NAMES:
        return ["n", keep(path, _engine.tensor(value))]
    raw = np.frombuffer(bytearray(value.tobytes()), np.uint8)
    kept = keep(path, _engine.from_numpy(raw))
    return ["n", kept, value.dtype.str, list(value.shape)]


def _complex(tree: list[Any], tensor_named: Callable[[str], Tensor]) -> complex:
    real, imag = tree[1]
    return complex(float(real), float(imag))


def _path(tree: list[Any], tensor_named: Callable[[str], Tensor]) -> Any:
    from pathlib import Path

    return Path(str(tree[1]))


def _date(tree: list[Any], tensor_named: Callable[[str], Tensor]) -> Any:
    import datetime

    name, said = tree[1]
    if name == "timedelta":
        days, seconds, microseconds = map(int, said)
        return datetime.timedelta(days, seconds, microseconds)
    if name not in _DATED:
        raise FileError("load: metadata that save() does not write")
    return getattr(datetime, name).fromisoformat(said)


def _array(tree: list[Any], tensor_named: Callable[[str], Tensor]) -> Any:
    import numpy as np

    held = tensor_named(str(tree[1])).detach().cpu()
    if len(tree) == 2:
        return held.numpy().copy()
    _, _, said, shape = tree
    kind = np.dtype(said) if type(said) is str and _PLAIN.fullmatch(said) else None
    sizes = [it for it in shape if type(it) is int and it >= 0]
    if kind is None or len(sizes) != len(shape) or held.dtype is not _engine.uint8:
        raise FileError("load: an array of NumPy's that save() does not write")
    if held.ndim != 1 or prod(sizes) * kind.itemsize != held.numel():
        raise FileError(
            f"load: an array of {held.numel()} bytes; {prod(sizes) * kind.itemsize} are needed"
        )
    return np.ndarray(sizes, kind, held.numpy().tobytes()).copy()


TAGGED: dict[str, Callable[[list[Any], Callable[[str], Tensor]], Any]] = {
    "c": _complex,
    "h": _path,
    "i": _date,
    "n": _array,
}
