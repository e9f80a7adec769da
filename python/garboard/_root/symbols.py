"""What sizes and numbers are while PyTorch's compiler traces: here they are Python's own."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import NoReturn, TypeVar

from garboard._engine import device

__all__ = [
    "DeviceObjType",
    "PyTorchFileReader",
    "SymBool",
    "SymFloat",
    "SymInt",
    "TensorType",
    "sym_float",
    "sym_int",
    "sym_ite",
    "sym_max",
    "sym_min",
    "sym_not",
    "sym_sqrt",
    "sym_sum",
]

DeviceObjType = device
_T = TypeVar("_T")
sym_sqrt = sqrt
sym_int, sym_float, sym_max, sym_min = int, float, max, min


def sym_not(a: object) -> bool:
    """Return whether a truth is false.

    >>> from garboard._root.symbols import sym_not
    >>> sym_not(False)
    True
    """
    return not a


def sym_ite(b: object, t: _T, f: _T) -> _T:
    """Return the one or the other, as a truth says.

    >>> from garboard._root.symbols import sym_ite
    >>> sym_ite(True, 1, 2)
    1
    """
    return t if b else f


def sym_sum(args: Iterable[int]) -> int:
    """Return the sum of numbers.

    >>> from garboard._root.symbols import sym_sum
    >>> sym_sum([1, 2])
    3
    """
    return sum(args)


class SymInt:
    """An integer that a compiler does not know yet: no object is one, sizes are ints.

    Raises:
        TypeError: One is asked for.

    >>> from garboard._root.symbols import SymInt
    >>> isinstance(gb.ones(2).shape[0], SymInt)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise TypeError(f"{cls.__name__}: nothing is traced here; numbers are Python's own")


class SymFloat(SymInt):
    """A number that a compiler does not know yet: no object is one."""


class SymBool(SymInt):
    """A truth that a compiler does not know yet: no object is one."""


class PyTorchFileReader:
    """What reads the parts of PyTorch's files: no object is one, `gb.load` reads them.

    Raises:
        TypeError: One is asked for.

    >>> from garboard._root.symbols import PyTorchFileReader
    >>> isinstance(gb.ones(1), PyTorchFileReader)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise TypeError(f"{cls.__name__}: files are read by gb.load(path), mapped where mmap=True")


class TensorType:
    """What PyTorch's compiler of scripts calls the type of a tensor: no object is one.

    Programs that take it for `Tensor` name it in annotations.

    Raises:
        TypeError: One is asked for.

    >>> from garboard._root.symbols import TensorType
    >>> isinstance(gb.ones(1), TensorType)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise TypeError("TensorType: nothing is compiled here; the type of a tensor is gb.Tensor")
