"""Parts and traits of real numbers, under the names that programs for complex ones use, too."""

from __future__ import annotations

from math import pi
from typing import NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._engine import Tensor, where
from garboard._native import add_methods

__all__ = [
    "angle",
    "conj",
    "frexp",
    "is_complex",
    "is_same_size",
    "is_signed",
    "isreal",
    "real",
    "resolve_conj",
]


def is_complex(input: Tensor) -> bool:
    """Tell whether numbers are complex: there are none here.

    Args:
        input: Tensor of any dtype.

    Returns:
        False.

    Raises:
        TypeError: It is no Tensor.

    >>> gb.is_complex(gb.ones(2))
    False
    """
    check.tensor("is_complex", "input", input)
    return False


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


def isreal(input: Tensor) -> Tensor:
    """Tell of each element whether it is real: all are.

    Args:
        input: Tensor of any dtype and sizes.

    Returns:
        A new bool tensor of `input`'s sizes.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.isreal(gb.ones(2))
    tensor([True, True])
    """
    return _engine.ones_like(check.tensor("isreal", "input", input), dtype=_engine.bool)


def real(input: Tensor) -> Tensor:
    """Return the real part, of real numbers the tensor itself.

    Args:
        input: Tensor of any dtype.

    Returns:
        `input`.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.real(gb.ones(1))
    tensor([1.])
    """
    return _itself("real", input)


def conj(input: Tensor) -> Tensor:
    """Return the conjugate, of real numbers the tensor itself.

    Args:
        input: Tensor of any dtype.

    Returns:
        `input`.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.ones(1).conj()
    tensor([1.])
    """
    return _itself("conj", input)


def resolve_conj(input: Tensor) -> Tensor:
    """Return the tensor itself: real numbers are never conjugated later.

    Args:
        input: Tensor of any dtype.

    Returns:
        `input`.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: The tensor is disposed.

    >>> gb.resolve_conj(gb.ones(1))
    tensor([1.])
    """
    return _itself("resolve_conj", input)


def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of each number to the positive ones: 0, pi below 0, and NaN of NaN.

    Args:
        input: Tensor of any sizes; integers become the default dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes. Its gradient is 0.

    Raises:
        DisposedError: The tensor is disposed.

    >>> gb.angle(gb.tensor([2.0, -2.0]))
    tensor([0.0000, 3.1416])
    """
    x = check.tensor("angle", "input", input)
    x = x if x.dtype.is_floating_point else x.to(_engine.get_default_dtype())
    with _engine.DisposeScope("angle") as scope:
        turned = where(x < 0, pi, _engine.zeros_like(x))
        made = where(x.isnan(), x.floor(), turned)  # of x, for a gradient: that of floor is 0
        return written("angle", scope.move_to_outer(made), out)


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


def _itself(op: str, input: Tensor) -> Tensor:
    _engine._require_living(check.tensor(op, "input", input), op)
    return input


def _transposed(self: Tensor) -> Tensor:
    _engine._require_living(self, "mH")
    return self.mT


def _flat_transposed(self: Tensor) -> Tensor:
    _engine._require_living(self, "H")
    if self.ndim not in (0, 2):
        raise _engine.ShapeError(f"H: sizes {[*self.shape]}; two dims are needed, or use mH")
    return self.T


add_methods(
    Tensor,
    {
        name: globals()[name]
        for name in ("angle", "conj", "frexp", "is_complex", "is_same_size", "is_signed", "isreal")
    },
)
add_methods(Tensor, {"resolve_conj": resolve_conj})
add_methods(
    Tensor,
    {
        "H": property(_flat_transposed, doc="A matrix with its dims swapped, as `T`."),
        "mH": property(_transposed, doc="The tensor with its last two dims swapped, as `mT`."),
        "real": property(real, doc="The real part: the tensor itself."),
    },
)
