"""What functions are given, checked once: a message names the argument, what came, what must.

Each function returns what it was given, fit for use. The first two parameters of each are who asks
and the argument's name.
"""

from __future__ import annotations

import os
from math import inf
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar, cast

from garboard import _engine
from garboard._arguments.errors import ArgumentError, ChoiceError
from garboard._arguments.given import items_of
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._engine import (
    DeviceError,
    GarboardError,
    IndexOutOfRangeError,
    ShapeError,
    Tensor,
    _current_cuda_device,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "choice",
    "count",
    "dim",
    "entered",
    "flag",
    "function",
    "has",
    "integer",
    "memory_format",
    "numbered_device",
    "of_type",
    "path",
    "place",
    "rate",
    "real",
    "scalar",
    "share",
    "size",
    "sizes",
    "tensor",
    "text",
    "worth",
]

_MOST_DEVICES = 1 << 16

_T = TypeVar("_T")
_W = TypeVar("_W", bound=str)


def _wrong_type(op: str, name: str, given: object, needed: str) -> TypeError:
    return TypeError(f"{op}: {name} is of type {type(given).__name__}; {needed} is needed")


def of_type(kind: type[_T], op: str, name: str, given: Any) -> _T:
    """An object of a class, or of one made of it."""
    if not is_really(given, kind):
        raise _wrong_type(op, name, given, f"a {kind.__name__}")
    return given


def unless_left(op: str, entry: list[_T] | None) -> list[_T]:
    """What a block has kept that is open: None where it is left more often; no argument."""
    if entry is None:
        raise GarboardError(f"{op}: left more often than entered; use it in a with block")
    return entry


def entered(op: str, blocks: list[_T]) -> _T:
    """What the innermost block that is open has kept, which closes with this; no argument."""
    if not blocks:
        raise GarboardError(f"{op}: left more often than entered; use it in a with block")
    return blocks.pop()


def tensor(op: str, name: str, given: Any) -> Tensor:
    """A Tensor, whose methods may be called."""
    # By its type: a sparse tensor says that it is one, and is told by its parts.
    if type(given) is not Tensor and not issubclass(type(given), Tensor):
        raise _wrong_type(op, name, given, "a Tensor")
    return cast("Tensor", given)


def tensors_that_meet(op: str, **given: Any) -> None:
    """Two Tensors whose sizes broadcast, by the names that the caller knows them by."""
    (name, first), (other, second) = given.items()
    if tensor(op, name, first).shape == tensor(op, other, second).shape:
        return
    pairs = zip(reversed(first.shape), reversed(second.shape), strict=False)
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        raise ShapeError(
            f"{op}: sizes {list(first.shape)} of {name} and {list(second.shape)} of {other}; they "
            "must be equal"
        )


def text(op: str, name: str, given: Any) -> str:
    """A string, exactly: a subclass may say something else when it is asked."""
    if not isinstance(given, str):
        raise _wrong_type(op, name, given, "a string")
    return str.__str__(given)


def function(op: str, name: str, given: Any, needed: str = "a function") -> Any:
    """What can be called."""
    if not callable(given):
        raise _wrong_type(op, name, given, needed)
    return given


def path(op: str, name: str, given: Any) -> Path:
    """Where a file is: a string or a path. An integer is none: it stands for a file that is open,
    perhaps somebody else's, which would be closed."""
    said = os.fspath(given) if isinstance(given, (str, os.PathLike)) else None
    if not isinstance(said, str):
        raise _wrong_type(op, name, given, "a path")
    exact = str.__str__(said)
    try:
        is_possible = b"\0" not in os.fsencode(exact)
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        raise ValueError(f"{op}: {name} {shown(exact)}; no file can have that name")
    from pathlib import Path  # brings urllib and more, which few programs wait for

    return Path(exact)


def _holds_integer(given: Tensor) -> bool:
    if given.is_floating_point() or given.is_complex() or given.dtype == _engine.bool:
        return False
    return given.numel() == 1


def integer(op: str, name: str, given: Any, needed: str = "an integer") -> int:
    """Any integer, NumPy's and the element of a tensor of integers too; a bool is none."""
    is_number = _holds_integer(given) if isinstance(given, Tensor) else hasattr(given, "__index__")
    if isinstance(given, bool) or not is_number:
        raise _wrong_type(op, name, given, needed)
    return int.__int__(index(given))  # which may be of a subclass still


def dim(op: str, name: str, given: Any) -> int | None:
    """A dim, which is checked against a tensor later, or None."""
    return None if given is None else integer(op, name, given, "an integer or None")


def place(op: str, name: str, given: Any, dims: int) -> int:
    """A dim of a tensor of so many, counted from the front. Raises IndexOutOfRangeError beyond."""
    found = integer(op, name, given)
    if not -dims <= found < dims:
        raise IndexOutOfRangeError(
            f"{op}: {name} {shown(found)} of a tensor of {shown(dims)} dims; it must be one of them"
        )
    return found % dims


def size(op: str, name: str, given: Any, *, needed: str = "an integer") -> int:
    """A size, or a number of features. Raises ShapeError below 0."""
    found = integer(op, name, given, needed)
    if found < 0:
        raise ShapeError(f"{op}: {name} {shown(found)}; 0 or more is needed")
    return found


def count(op: str, name: str, given: Any, least: int = 0) -> int:
    """How often something is done. Raises ValueError below the least."""
    found = integer(op, name, given)
    if found < least:
        raise ArgumentError(f"{op}: {name} {shown(found)}; {least} or more is needed")
    return found


def sizes(op: str, name: str, given: Any) -> tuple[int, ...]:
    """One size, or several."""
    if isinstance(given, (list, tuple)):
        places = enumerate(items_of(given))
        return tuple(size(op, f"{name}[{place}]", one) for place, one in places)
    return (size(op, name, given, needed="an integer, or a list or tuple of them,"),)


def numbered_device(op: str, given: Any) -> str:
    """The name of a CUDA device by its number; of the current one by None."""
    number = _current_cuda_device() if given is None else int.__int__(given)
    if not 0 <= number < _MOST_DEVICES:
        raise DeviceError(f"{op}: device {shown(number)}; the number of a CUDA device is needed")
    return f"cuda:{number}"


def real(op: str, name: str, given: Any) -> Any:
    """Any number, NumPy's and a tensor without dims too, returned as it is; a bool is none."""
    is_number = hasattr(given, "__float__") or hasattr(given, "__index__")
    if isinstance(given, bool) or not is_number or getattr(given, "ndim", False):
        raise _wrong_type(op, name, given, "a number")
    return given


def scalar(op: str, name: str, given: Any) -> Any:
    """What an element can be set to: any number as of `real`, and a bool or a complex one."""
    return given if isinstance(given, (bool, complex)) else real(op, name, given)


def worth(op: str, name: str, given: Any) -> float:
    """The value of a number; infinite beyond the range of floats."""
    try:
        return float(real(op, name, given))
    except OverflowError:
        return inf


def _number(given: Any, value: float) -> str:
    return shown(given if type(given) is int else value)


def rate(op: str, name: str, given: Any) -> Any:
    """A number that is not negative: a learning rate, a decay, an epsilon."""
    value = worth(op, name, given)
    if not 0 <= value < inf:  # NaN too
        told = _number(given, value)
        raise ArgumentError(f"{op}: {name} {told}; it must not be negative, nor infinite")
    return given


def share(op: str, name: str, given: Any, *, is_whole_allowed: bool = True) -> Any:
    """A probability or a part of something: a number in [0, 1], or in [0, 1)."""
    value = worth(op, name, given)
    if not (0 <= value <= 1 if is_whole_allowed else 0 <= value < 1):
        end = "]" if is_whole_allowed else ")"
        raise ArgumentError(f"{op}: {name} {_number(given, value)}; it must lie in [0, 1{end}")
    return given


def memory_format(op: str, given: Any) -> None:
    """Raise TypeError for what is no `gb.memory_format`."""
    from garboard._arguments.layouts import memory_format as wanted

    if not isinstance(given, wanted):
        raise TypeError(
            f"{op}: memory_format is of type {type(given).__name__}; one such as "
            "gb.contiguous_format is needed"
        )


def has(op: str, name: str, given: Any) -> bool:
    """As `flag`, of what a layer has or not: None is False."""
    return given is not None and flag(op, name, given)


def flag(op: str, name: str, given: Any) -> bool:
    """True or False, NumPy's too, or 1 and 0."""
    is_bit = isinstance(given, int) and given in (0, 1)
    if not is_bit and type(given).__name__ not in ("bool", "bool_"):
        raise _wrong_type(op, name, given, "True or False")
    return bool(given)


def choice(op: str, name: str, given: _W, *choices: str) -> _W:
    """One of some words."""
    if not isinstance(given, str) or str.__str__(given) not in choices:
        raise ChoiceError(f"{op}: {name} {shown(given)}; {_either(choices)} is needed")
    return cast("_W", str.__str__(given))


def _either(choices: tuple[str, ...]) -> str:
    *others, last = (repr(one) for one in choices)
    return f"{', '.join(others)} or {last}" if others else last
