"""Methods of sparse tensors that act on each element, and on what a place holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard._arguments.texts import shown
from garboard.sparse._tensor import SparseTensor
from garboard.sparse._told import tell

__all__ = ["KEEPING_ZERO"]

_Number = bool | int | float


def _converting(name: str) -> Callable[[SparseTensor], SparseTensor]:
    def convert(self: SparseTensor) -> SparseTensor:
        return self._with(getattr(self._told, name)())

    convert.__name__, convert.__doc__ = name, f"Return one whose values are of dtype {name}."
    return convert


# Functions that leave a zero what it is: of the sum of the values of a place, not of each.
KEEPING_ZERO = (
    "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf "
    "isposinf log1p nan_to_num rad2deg relu round sgn sign signbit sin sinh sqrt square tan tanh "
    "trunc"
)


def _of_values(name: str) -> Callable[..., SparseTensor]:
    def of_values(self: SparseTensor, *given: Any, **named: Any) -> SparseTensor:
        whole = self._once()
        return whole._with(getattr(whole._told, name)(*given, **named))

    of_values.__name__, of_values.__doc__ = name, f"Return `{name}` of each element."
    return of_values


def _powers(self: SparseTensor, exponent: _Number) -> SparseTensor:
    """Return the elements to a power above 0, which leaves zeros what they are."""
    if not isinstance(exponent, (int, float)) or exponent <= 0:
        raise TypeError(f"pow: exponent is {shown(exponent)}; a number above 0 is needed")
    whole = self._once()
    return whole._with(whole._told**exponent)


_CONVERTING = tuple(
    ["float", "double", "half", "bfloat16", "long", "int", "short", "char", "byte", "bool"]
)
for _name in _CONVERTING:
    setattr(SparseTensor, _name, _converting(_name))
for _name in KEEPING_ZERO.split():
    setattr(SparseTensor, _name, _of_values(_name))
setattr(SparseTensor, "pow", _powers)  # noqa: B010
setattr(SparseTensor, "__pow__", _powers)  # noqa: B010
tell(SparseTensor, _CONVERTING, tuple(KEEPING_ZERO.split()))
