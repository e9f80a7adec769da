"""What is asked of dtypes: which numbers they have, what goes into what, what a tensor's is called.

NumPy and PyTorch have the same names for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments.other_dtypes import other_dtype
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = ["can_cast", "finfo", "iinfo", "type_meant"]

_PYTHONS = {
    bool: _engine.bool,
    int: _engine.int64,
    float: _engine.float64,
    complex: _engine.complex128,
}


def _dtype(op: str, given: object) -> _engine.dtype:
    found: object = given
    if isinstance(given, type):  # LongTensor and its kin say which one they are
        found = _PYTHONS.get(given, vars(given).get("dtype"))
    if isinstance(found, other_dtype):
        raise TypeError(f"{op}: {found._refusal}")
    if not isinstance(found, _engine.dtype):
        raise TypeError(
            f"{op}: dtype is {shown(given)}; a dtype such as garboard.float32 is needed"
        )
    return found


def _name(dtype: _engine.dtype | other_dtype) -> str:
    return str(dtype).removeprefix("garboard.")


def _of_numbers(op: str, given: object) -> _engine.dtype | other_dtype:
    """The dtype whose numbers are asked for; one that no tensor has is known by them, too."""
    if isinstance(given, other_dtype) and given._limits is not None:
        return given
    return _dtype(op, given)


def _limits(dtype: _engine.dtype | other_dtype) -> Any:
    """The least number, the greatest, the distance from 1 to the next, the least one above 0."""
    return dtype._limits if isinstance(dtype, other_dtype) else _engine._limits(dtype)


class finfo:
    """The numbers of a floating dtype, or of the parts of a complex one.

    Attributes:
        bits: How many a number takes, or a part of a complex one.
        eps: The distance from 1 to the next number.
        max: The greatest finite number.
        min: The least one, `-max`.
        tiny: The least number above 0 that has all digits; `smallest_normal` too.
        resolution: A power of ten: digits before it are kept.
        dtype: The dtype's name.

    Args:
        type: A floating or complex dtype; the default one where it is left out.

    Raises:
        DTypeError: The dtype is neither floating nor complex.
        TypeError: What is given is no dtype.

    >>> gb.finfo(gb.float16).max, gb.finfo(gb.bfloat16).eps
    (65504.0, 0.0078125)
    """

    def __init__(self, type: DType | other_dtype | None = None) -> None:
        dtype = _engine.get_default_dtype() if type is None else _of_numbers("finfo", type)
        dtype = dtype if isinstance(dtype, other_dtype) else dtype.to_real()
        if not dtype.is_floating_point:
            raise DTypeError(
                f"finfo: dtype {_name(dtype)}; a floating one is needed, or use iinfo()"
            )
        self.dtype: str = _name(dtype)
        self.bits: int = 8 * dtype.itemsize
        limits = _limits(dtype)
        self.min: float = limits[0]
        self.max: float = limits[1]
        self.eps: float = limits[2]
        self.tiny: float = limits[3]
        self.smallest_normal: float = self.tiny
        digits = limits[5] if len(limits) > 5 else 0
        self.resolution: float = float(f"1e-{digits}")

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.tiny:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


class iinfo:
    """The numbers of an integer dtype.

    Attributes:
        bits: How many a number takes.
        max: The greatest number.
        min: The least one.
        dtype: The dtype's name.

    Args:
        type: An integer dtype.

    Raises:
        DTypeError: The dtype is bool, floating or complex.
        TypeError: What is given is no dtype.

    >>> gb.iinfo(gb.int16)
    iinfo(min=-32768, max=32767, dtype=int16)
    """

    def __init__(self, type: DType | other_dtype) -> None:
        dtype = _of_numbers("iinfo", type)
        is_continuous = dtype.is_floating_point or dtype.is_complex
        if is_continuous or dtype is _engine.bool:
            advice = ", or use finfo()" if is_continuous else ""
            raise DTypeError(f"iinfo: dtype {_name(dtype)}; an integer one is needed{advice}")
        self.dtype: str = _name(dtype)
        self.bits: int = 8 * dtype.itemsize
        limits = _limits(dtype)
        self.min: int = limits[0]
        self.max: int = limits[1]

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


def _category(dtype: _engine.dtype) -> int:
    if dtype.is_complex:
        return 3
    return 2 if dtype.is_floating_point else int(dtype is not _engine.bool)


def can_cast(from_: DType, to: DType) -> bool:
    """Tell whether a result of one dtype may be written into a tensor of another.

    It may where the kind of number stays or widens, from bool to integer to float to complex; how
    many digits the dtypes have does not matter.

    Args:
        from_: The result's dtype.
        to: The tensor's.

    Returns:
        A bool.

    Raises:
        TypeError: What is given is no dtype.

    >>> gb.can_cast(gb.float64, gb.float16), gb.can_cast(gb.float16, gb.int64)
    (True, False)
    """
    return _category(_dtype("can_cast", from_)) <= _category(_dtype("can_cast", to))


_TYPE_NAMES = {
    _engine.bool: "BoolTensor",
    _engine.uint8: "ByteTensor",
    _engine.int8: "CharTensor",
    _engine.int16: "ShortTensor",
    _engine.int32: "IntTensor",
    _engine.int64: "LongTensor",
    _engine.float16: "HalfTensor",
    _engine.bfloat16: "BFloat16Tensor",
    _engine.float32: "FloatTensor",
    _engine.float64: "DoubleTensor",
    _engine.complex64: "ComplexFloatTensor",
    _engine.complex128: "ComplexDoubleTensor",
}
_OF_NAMES = {name: dtype for dtype, name in _TYPE_NAMES.items()}


def type_meant(given: DType | type | str) -> tuple[str | None, _engine.dtype]:
    """The device, if it says where, and the dtype of what names a type of tensors."""
    if isinstance(given, str):
        module, _, name = given.rpartition(".")
        found = _OF_NAMES.get(name)
        if found is None:
            raise DTypeError(
                f"type: there is no {shown(given)}; a dtype is needed, or a name such as "
                "'FloatTensor'"
            )
        return "cuda" if module.endswith("cuda") else "cpu" if module else None, found
    if given is Tensor:
        return "cpu", _engine.get_default_dtype()
    return getattr(given, "device_type", None), _dtype("type", given)


def _type(
    self: Tensor, dtype: DType | type | str | None = None, non_blocking: bool = False
) -> Tensor | str:
    """Return the tensor's type as PyTorch writes it, or convert to a dtype or a type.

    Args:
        dtype: A dtype; a type, which says where besides: `gb.FloatTensor`, or `gb.Tensor` for the
            default dtype; or a type's name. Without it the name is returned.
        non_blocking: Changes nothing: nothing is transferred that way.

    Returns:
        The name: `"garboard.FloatTensor"`, `"garboard.cuda.FloatTensor"`. Or a copy, or a new
        handle on the same tensor where nothing changes.

    Raises:
        DTypeError: There is no type of that name.
        TypeError: What is given is no dtype.
        DeviceError: The type's device is not there.

    >>> gb.ones(2).type(), gb.ones(2).type(gb.int16).type()
    ('garboard.FloatTensor', 'garboard.ShortTensor')
    """
    if dtype is None:
        place = "" if self.device.type == "cpu" else f"{self.device.type}."
        return f"garboard.{place}{_TYPE_NAMES[self.dtype]}"
    where, found = type_meant(dtype)
    if where in (None, self.device.type):
        return self.to(found)
    return self.to(device=where, dtype=found)


add_methods(Tensor, {"type": _type})
