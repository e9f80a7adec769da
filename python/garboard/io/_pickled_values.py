"""What the names in PyTorch's pickles make, tensors apart: containers, numbers, dates and arrays.

Each function makes a value of checked arguments and runs no code of the file. A name that is not
here is refused.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

from garboard import _engine
from garboard._engine import DeviceError
from garboard.io._errors import FileError

__all__ = ["FACTORIES", "KEYS", "VALUES", "NumpyDType", "filled"]

KEYS = (str, int, float, bool, type(None))
FACTORIES: dict[str, Callable[..., Any]] = {
    **{it.__name__: it for it in (bool, dict, float, int, list, set, str, tuple)},
    "long": int,  # as the older pickles name them
    "unicode": str,
}
_MOST_DIMS = 8
_NUMPY_DTYPE = re.compile(r"[biufc]\d{1,2}|[SU]\d{1,4}")


class NumpyDType:
    """A dtype of NumPy's while its pickle is read: the order of its bytes is told afterwards."""

    def __init__(self, text: Any, *flags: object) -> None:
        if type(text) is not str or not _NUMPY_DTYPE.fullmatch(text):
            raise FileError("load: a NumPy dtype other than numbers, bools and texts")
        self._text, self._order = text, "="

    def tell(self, state: Any) -> None:
        order = state[1]
        if order not in ("<", ">", "=", "|"):
            raise FileError("load: a NumPy dtype of no order of bytes")
        self._order = order

    def found(self) -> Any:
        import numpy as np

        return np.dtype(self._order + self._text)


def _ordered(pairs: Any = ()) -> OrderedDict[Any, Any]:
    """A dict that Python 2 gave as pairs; Python 3 sets its items afterwards."""
    for pair in pairs:
        if len(_checked(list, pair)) != 2 or type(pair[0]) not in KEYS:
            raise FileError("load: an OrderedDict of what are no keys and values")
    return OrderedDict(pairs)


def _numpy_dtype(*given: Any) -> NumpyDType:
    return NumpyDType(*given)


def _numpy_scalar(dtype: Any, data: Any) -> Any:
    import numpy as np

    kind = _checked(NumpyDType, dtype).found()
    if len(_checked(bytes, data)) != kind.itemsize:
        raise FileError("load: a NumPy number of too many or too few bytes")
    return np.frombuffer(data, kind)[0]


def _numpy_array(*given: object) -> Any:
    import numpy as np

    return np.ndarray((0,), np.int8)  # which `filled` gives what it holds


def filled(array: Any, state: Any) -> int:
    """Give a NumPy array what its pickle says, and return how many bytes these are."""
    _, shape, dtype, is_fortran, data = state
    kind, count = _checked(NumpyDType, dtype).found(), 1
    if type(shape) is not tuple or len(shape) > _MOST_DIMS or not kind.itemsize:
        raise FileError("load: a NumPy array of no sizes")
    for size in shape:
        if type(size) is not int or not 0 <= size < 1 << 48:
            raise FileError("load: a NumPy array of sizes that are none")
        count *= size
    if count * kind.itemsize != len(_checked(bytes, data)):
        raise FileError(
            f"load: a NumPy array with {len(data)} bytes; {count * kind.itemsize} are needed"
        )
    array.__setstate__((1, shape, kind, is_fortran is True, data))
    return len(data)


def _checked(kind: type, given: Any) -> Any:
    if type(given) is not kind:
        raise FileError(
            f"load: a pickle that gives {type(given).__name__[:40]} for {kind.__name__}"
        )
    return given


def _encoded(text: Any, *coding: object) -> bytes:
    return str.encode(text, "latin1")


def _of_keys(kind: Callable[..., Any]) -> Callable[..., Any]:
    def make(items: Any = ()) -> Any:
        if type(items) not in (list, tuple):
            raise FileError("load: a set of what is no list")
        return kind(it for it in items if type(it) in KEYS)

    return make


def _counter(counts: Any = None) -> Any:
    return Counter(_checked(dict, {} if counts is None else counts))


def _defaulting(factory: Any = None) -> Any:
    if factory is None:
        return defaultdict()
    kind = FACTORIES.get(factory.name) if factory.module in _BUILTINS else None
    if kind is None:
        raise FileError(f"load: a defaultdict of {factory.name[:40]}; save dict() of it")
    return defaultdict(kind)


def _device(kind: str, index: int | None = None) -> Any:
    """One of ours; of the kinds that there are not, the name."""
    text = _checked(str, kind) if index is None else f"{kind}:{_checked(int, index)}"
    try:
        return _engine.device(text)
    except DeviceError:
        return text


def _path(*parts: Any) -> Any:
    from pathlib import Path

    return Path(*(_checked(str, part) for part in parts))


def _namespace() -> Any:
    from argparse import Namespace

    return Namespace()


def _dated(name: str) -> Callable[..., Any]:
    def make(*given: Any) -> Any:
        import datetime

        known = (bytes, int, datetime.timedelta, datetime.timezone)
        if any(type(it) not in known for it in given):
            raise FileError(f"load: a {name} of what is no date")
        return getattr(datetime, name)(*given)

    return make


def _complex(real: Any = 0.0, imag: Any = 0.0) -> complex:
    return complex(_checked(float, real), _checked(float, imag))


_BUILTINS = ("builtins", "__builtin__")

# By module and name; those of Python's own are under both names that it has had.
VALUES: dict[tuple[str, str], Callable[..., Any]] = {
    ("_codecs", "encode"): _encoded,
    ("argparse", "Namespace"): _namespace,
    ("collections", "Counter"): _counter,
    ("collections", "OrderedDict"): _ordered,
    ("collections", "defaultdict"): _defaulting,
    ("numpy", "dtype"): _numpy_dtype,
    ("torch", "Size"): lambda sizes=(): _engine._Size(sizes),
    ("torch", "device"): _device,
    **{
        (module, name): _path
        for module in ("pathlib", "pathlib._local")  # so Python 3.13 writes it
        for name in ("Path", "PosixPath", "PurePosixPath", "PureWindowsPath", "WindowsPath")
    },
    **{
        ("datetime", name): _dated(name)
        for name in ("date", "datetime", "time", "timedelta", "timezone")
    },
    **{
        (module, name): make
        for module in ("numpy._core.multiarray", "numpy.core.multiarray")
        for name, make in (("_reconstruct", _numpy_array), ("scalar", _numpy_scalar))
    },
    **{
        (module, name): make
        for module in _BUILTINS
        for name, make in (
            ("bytearray", lambda data=b"": bytearray(_checked(bytes, data))),
            ("bytes", lambda: b""),
            ("complex", _complex),
            ("frozenset", _of_keys(frozenset)),
            ("set", _of_keys(set)),
        )
    },
}
