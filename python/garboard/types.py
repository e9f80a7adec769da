"""What functions of tensors take and give, as types for annotations.

>>> def normalized(data: gb.types.TensorLike, device: gb.types.Device = "cpu") -> gb.Tensor:
...     x = gb.as_tensor(data, device=device)
...     return (x - x.mean()) / x.std()
>>> normalized([1.0, 2.0, 3.0]).tolist()
[-1.0, 0.0, 1.0]
"""

from os import PathLike
from types import EllipsisType
from typing import IO, Any, Literal, Protocol, SupportsFloat, SupportsIndex, TypeAlias

from garboard._engine import device, dtype

__all__ = [
    "DType",
    "Device",
    "Element",
    "Index",
    "Number",
    "Reduction",
    "Size",
    "SupportsArrayInterface",
    "SupportsBuffer",
    "TensorLike",
]

Number: TypeAlias = complex | float | int | bool
"""What stands beside tensors in arithmetic."""

Element: TypeAlias = float | int | bool
"""What a tensor's element is in Python; of complex numbers a `complex`, which has all of these."""

DType: TypeAlias = dtype | type[complex] | type[float] | type[int] | type[bool]
"""A dtype; Python's types stand for complex128, float64, int64 and bool."""

Device: TypeAlias = device | str
"""A device, or its name: "cpu", "cuda", "cuda:1"."""

Reduction: TypeAlias = Literal["mean", "sum", "none"]
"""What a loss makes of the losses of its rows or elements."""

Size: TypeAlias = tuple[int, ...] | list[int]
"""Sizes, strides or dims."""

Index: TypeAlias = SupportsIndex | slice | EllipsisType | None
"""What stands between the brackets of `x[...]`, once or in a tuple."""


# What PyTorch's programs import of these.
_int, _float, _complex, _bool = int, float, complex, bool
_device, _dtype, _size = device, dtype, Size
_Number = Number
FileLike: TypeAlias = str | PathLike[str] | IO[bytes]
IntLikeType: TypeAlias = int
FloatLikeType: TypeAlias = float
BoolLikeType: TypeAlias = bool


class SupportsBuffer(Protocol):
    """An object that shares its memory: an `array.array`, a memoryview, a NumPy array."""

    def __buffer__(self, flags: int, /) -> memoryview:
        """Show the memory."""
        ...


class SupportsArrayInterface(Protocol):
    """A NumPy array: before Python 3.12 type checkers do not see that it shares its memory."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """Say where the memory is, and of what form."""
        ...


# Lists are of Any: a list of lists of floats is, for being mutable, no list of nests.
TensorLike: TypeAlias = (
    complex
    | SupportsFloat
    | SupportsIndex
    | list[Any]
    | tuple[Any, ...]
    | SupportsBuffer
    | SupportsArrayInterface
)
"""What a tensor can be made of: a tensor, a number, an array, or nested lists of numbers."""
