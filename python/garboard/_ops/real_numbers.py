"""What numbers are like, and real ones taken apart into mantissa and exponent."""

from __future__ import annotations

from typing import NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._engine import Tensor, where
from garboard._native import add_methods

__all__ = ["frexp", "is_same_size", "is_signed"]


def is_signed(input: Tensor) -> bool:
    """Tell whether a dtype has numbers below 0.

    Args:
        input: Tensor of any dtype.

    Returns:
        False for uint8 and bool.

    Raises:
        TypeError: It is no Tensor.

    >>> gb.ones(2).is_signed()
    True
    """
    dtype = check.tensor("is_signed", "input", input).dtype
    return dtype not in (_engine.bool, _engine.uint8)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same sizes.

    Args:
        input: Tensor.
        other: Tensor.

    Returns:
        A bool.

    Raises:
        TypeError: One is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.is_same_size(gb.ones(2), gb.zeros(2, 1))
    False
    """
    op = "is_same_size"
    return check.tensor(op, "input", input).shape == check.tensor(op, "other", other).shape


@shown_as("frexp")
class MantissaAndExponent(NamedTuple):
    """What `frexp` returns."""

    mantissa: Tensor
    exponent: Tensor


def frexp(input: Tensor) -> MantissaAndExponent:
    """Take numbers apart: input = mantissa * 2^exponent.

    Args:
        input: Floating tensor of any sizes.

    Returns:
        A pair with the fields `mantissa`, of `input`'s dtype, from 0.5 to 1 but for the sign, and
        `exponent`, int32; both 0 for 0. What is not finite is its own mantissa. Gradients go
        through the mantissa.

    Raises:
        DTypeError: `input` is not floating.
        DisposedError: The tensor is disposed.

    >>> [it.tolist() for it in gb.frexp(gb.tensor([6.0, -0.25]))]
    [[0.75, -0.5], [3, -1]]
    """
    op = "frexp"
    x = check.tensor(op, "input", input)
    if not x.dtype.is_floating_point:
        raise _engine.DTypeError(f"{op}: dtype {x.dtype}; a floating dtype is needed")
    with _engine.DisposeScope(op) as scope:
        # In float64 no other dtype has subnormal numbers; its own are moved up first.
        wide = x.detach().to(_engine.float64)
        is_tiny = wide.abs() < 2.0**-900
        wide = where(is_tiny, wide * 2.0**120, wide)
        is_apart = wide.isfinite() & (wide != 0)
        size = where(is_apart, wide.abs(), 1.0)
        exponent = size.log2().floor() + 1
        exponent = exponent + (size >= _power_of_two(exponent)).to(_engine.float64)
        exponent = exponent - (size < _power_of_two(exponent - 1)).to(_engine.float64)
        exponent = where(is_tiny, exponent - 120, exponent)
        exponent = where(is_apart, exponent, 0.0)
        # In two steps: 2^-exponent may be beyond the largest number.
        half = (exponent / 2).floor()
        down = _power_of_two(-half), _power_of_two(half - exponent)
        mantissa = (x.to(_engine.float64) * down[0] * down[1]).to(x.dtype)
        found = MantissaAndExponent(mantissa, exponent.to(_engine.int32))
        scope.move_to_outer(*found)
        return found


def _power_of_two(exponent: Tensor) -> Tensor:
    """Exact, where it is a normal number."""
    low = (exponent / 2).floor()
    two = _engine.full((), 2.0, dtype=_engine.float64, device=exponent.device)
    return two.pow(low) * two.pow(exponent - low)


add_methods(Tensor, {name: globals()[name] for name in ("frexp", "is_same_size", "is_signed")})

all_overridable(globals())
