"""Layers that put elements around their input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from garboard._arguments import check
from garboard._arguments.texts import told
from garboard._engine import ShapeError, Tensor, pad
from garboard.nn.module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

_Numbers = int | Sequence[int]


class _Pad(Module):
    """What all of them hold: pairs of numbers, from the last dim on."""

    _dims: ClassVar[int]
    _mode: ClassVar[Literal["constant", "reflect", "replicate", "circular"]]
    value: Any = None

    def __init__(self, padding: _Numbers) -> None:
        super().__init__()
        name, count = type(self).__name__, 2 * self._dims
        given = padding if isinstance(padding, (list, tuple)) else [padding] * count
        numbers = tuple(check.integer(name, "padding", one) for one in given)
        if len(numbers) != count:
            raise ShapeError(f"{name}: padding {numbers}; one number, or {count}, are needed")
        self.padding: tuple[int, ...] = numbers

    def forward(self, input: Tensor) -> Tensor:
        return pad(input, self.padding, self._mode, self.value)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return told(self.padding)


class _ReflectionPad(_Pad):
    _mode = "reflect"


class _ReplicationPad(_Pad):
    _mode = "replicate"


class _CircularPad(_Pad):
    _mode = "circular"


class _ConstantPad(_Pad):
    _mode = "constant"

    def __init__(self, padding: _Numbers, value: float) -> None:
        super().__init__(padding)
        self.value: float = check.scalar(type(self).__name__, "value", value)

    def extra_repr(self) -> str:
        return f"padding={told(self.padding)}, value={told(self.value)}"


class ReflectionPad1d(_ReflectionPad):
    """Put the input, mirrored without its edge around the last 1 dim of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.ReflectionPad1d(1)(gb.ones(2, 4)).shape
    (2, 6)
    """

    _dims = 1


class ReflectionPad2d(_ReflectionPad):
    """Put the input, mirrored without its edge around the last 2 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.ReflectionPad2d(1)(gb.ones(2, 4, 5)).shape
    (2, 6, 7)
    """

    _dims = 2


class ReflectionPad3d(_ReflectionPad):
    """Put the input, mirrored without its edge around the last 3 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.ReflectionPad3d(1)(gb.ones(2, 3, 4, 5)).shape
    (2, 5, 6, 7)
    """

    _dims = 3


class ReplicationPad1d(_ReplicationPad):
    """Put its edge around the last 1 dim of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.ReplicationPad1d(1)(gb.ones(2, 4)).shape
    (2, 6)
    """

    _dims = 1


class ReplicationPad2d(_ReplicationPad):
    """Put its edge around the last 2 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.ReplicationPad2d(1)(gb.ones(2, 4, 5)).shape
    (2, 6, 7)
    """

    _dims = 2


class ReplicationPad3d(_ReplicationPad):
    """Put its edge around the last 3 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.ReplicationPad3d(1)(gb.ones(2, 3, 4, 5)).shape
    (2, 5, 6, 7)
    """

    _dims = 3


class CircularPad1d(_CircularPad):
    """Put its other end around the last 1 dim of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.CircularPad1d(1)(gb.ones(2, 4)).shape
    (2, 6)
    """

    _dims = 1


class CircularPad2d(_CircularPad):
    """Put its other end around the last 2 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.CircularPad2d(1)(gb.ones(2, 4, 5)).shape
    (2, 6, 7)
    """

    _dims = 2


class CircularPad3d(_CircularPad):
    """Put its other end around the last 3 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.CircularPad3d(1)(gb.ones(2, 3, 4, 5)).shape
    (2, 5, 6, 7)
    """

    _dims = 3


class ConstantPad1d(_ConstantPad):
    """Put a number around the last 1 dim of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.
        value: The number.

    Raises:
        ShapeError: Too few numbers; when called, more is cut off than there is.
        TypeError: A number that is no integer.

    >>> gb.nn.ConstantPad1d(1, 7.0)(gb.ones(2, 4)).amax().item()
    7.0
    """

    _dims = 1


class ConstantPad2d(_ConstantPad):
    """Put a number around the last 2 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.
        value: The number.

    Raises:
        ShapeError: Too few numbers; when called, more is cut off than there is.
        TypeError: A number that is no integer.

    >>> gb.nn.ConstantPad2d(1, 7.0)(gb.ones(2, 4, 5)).amax().item()
    7.0
    """

    _dims = 2


class ConstantPad3d(_ConstantPad):
    """Put a number around the last 3 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.
        value: The number.

    Raises:
        ShapeError: Too few numbers; when called, more is cut off than there is.
        TypeError: A number that is no integer.

    >>> gb.nn.ConstantPad3d(1, 7.0)(gb.ones(2, 3, 4, 5)).amax().item()
    7.0
    """

    _dims = 3


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: _Numbers) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return _Pad.extra_repr(self)


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Put zeros around the last 1 dim of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.ZeroPad1d(1)(gb.ones(2, 4)).shape
    (2, 6)
    """


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Put zeros around the last 2 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.ZeroPad2d(1)(gb.ones(2, 4, 5)).shape
    (2, 6, 7)
    """


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Put zeros around the last 3 dims of the input.

    Args:
        padding: How much on each side: a number, or pairs from the last dim on.

    Raises:
        ShapeError: Too few numbers; when called, more than there is to take.
        TypeError: A number that is no integer.

    >>> gb.nn.ZeroPad3d(1)(gb.ones(2, 3, 4, 5)).shape
    (2, 5, 6, 7)
    """
