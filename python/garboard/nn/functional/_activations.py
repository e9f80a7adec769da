"""Activations of one element at a time, made of ops."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._engine import Tensor, expm1, float64, where
from garboard._ops.dtypes import iinfo
from garboard.nn.functional._places import given, whole_numbers

__all__ = [
    "celu",
    "elu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "logsigmoid",
    "mish",
    "relu6",
    "selu",
    "silu",
    "softplus",
    "softshrink",
    "softsign",
    "tanhshrink",
    "threshold",
]

_STRAIGHT = 20  # from where on softplus is a line to all digits of float32
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def _between(input: Tensor, least: float, most: float) -> Tensor:
    """Clamped, with a slope of 0 at both bounds, as PyTorch has it."""
    if input.is_floating_point():
        return _engine._hardtanh(input, least, most)
    held = iinfo(input.dtype)
    return input.clamp(*(int(min(max(it, held.min), held.max)) for it in (least, most)))


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Multiply what is negative by a slope.

    max(x, 0) + negative_slope * min(x, 0).

    Args:
        input: Tensor of any shape and of a floating dtype.
        negative_slope: The slope.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.leaky_relu(gb.tensor([-1.0, 2.0]))
    tensor([-0.0100,  2.0000])
    """
    check.tensor("leaky_relu", "input", input)
    return given(input, lambda x: _engine._leaky_relu(x, negative_slope), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Bring elements into [0, 6].

    min(max(x, 0), 6).

    Args:
        input: Tensor of any shape and of a floating dtype.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.relu6(gb.tensor([-1.0, 2.0, 9.0]))
    tensor([0., 2., 6.])
    """
    check.tensor("relu6", "input", input)
    return given(input, lambda x: _between(x, 0.0, 6.0), inplace)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Bring elements into [min_val, max_val].

    min(max(x, min_val), max_val).

    Args:
        input: Tensor of any shape and of a floating dtype.
        min_val: The least.
        max_val: The greatest.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        ValueError: `min_val` is above `max_val`.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.hardtanh(gb.tensor([-3.0, 0.5, 9.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    check.tensor("hardtanh", "input", input)
    if check.real("hardtanh", "min_val", min_val) > check.real("hardtanh", "max_val", max_val):
        raise ValueError(
            f"hardtanh: min_val {shown(min_val)} above max_val {shown(max_val)}; the first must be "
            "the lower"
        )
    return given(input, lambda x: _between(x, min_val, max_val), inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Replace what is not above a threshold: value where x <= threshold, else x.

    Args:
        input: Tensor of any shape and dtype; whole numbers are compared with whole ones.
        threshold: What must be exceeded.
        value: What stands in.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.threshold(gb.tensor([-1.0, 2.0]), 0.5, 9.0)
    tensor([9., 2.])
    """
    if check.tensor("threshold", "input", input).is_floating_point():
        return given(input, lambda x: _engine._threshold(x, threshold, value), inplace)
    at, to = whole_numbers("threshold", input, threshold, value)
    return given(input, lambda x: where(x <= at, to, x).to(x.dtype), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Bend what is negative towards -alpha.

    x where x > 0, else alpha * (e^x - 1) (Clevert et al., arXiv:1511.07289).

    Args:
        input: Tensor of any shape and of a floating dtype.
        alpha: Where it ends.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.elu(gb.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    check.tensor("elu", "input", input)
    return given(input, lambda x: _engine._elu(x, alpha), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Bend what is negative towards -alpha, with a slope of 1 at 0.

    max(x, 0) + min(0, alpha * (e^(x / alpha) - 1)) (Barron, arXiv:1704.07483).

    Args:
        input: Tensor of any shape and of a floating dtype.
        alpha: Where it ends.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.celu(gb.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    check.tensor("celu", "input", input)
    if alpha == 1:
        return given(input, lambda x: _engine._elu(x, 1.0), inplace)
    return given(
        input, lambda x: where(x > 0, x, expm1(where(x > 0, 0.0, x) / alpha) * alpha), inplace
    )


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Bend what is negative, scaled so that mean 0 and variance 1 keep.

    scale * elu(x, alpha), alpha = 1.6733, scale = 1.0507 (Klambauer et al., arXiv:1706.02515).

    Args:
        input: Tensor of any shape and of a floating dtype.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.selu(gb.tensor([0.0, 2.0]))
    tensor([0.0000, 2.1014])
    """
    check.tensor("selu", "input", input)
    return given(input, lambda x: elu(x, _SELU_ALPHA) * _SELU_SCALE, inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Multiply each element by its sigmoid.

    x / (1 + e^-x) (Elfwing et al., arXiv:1702.03118).

    Args:
        input: Tensor of any shape and of a floating dtype.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.silu(gb.tensor([0.0, 2.0]))
    tensor([0.0000, 1.7616])
    """
    check.tensor("silu", "input", input)
    return given(input, _engine.silu, inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Multiply each element by the tanh of its softplus.

    x * tanh(ln(1 + e^x)) (Misra, arXiv:1908.08681).

    Args:
        input: Tensor of any shape and of a floating dtype.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.mish(gb.tensor([0.0, 2.0]))
    tensor([0.0000, 1.9440])
    """
    check.tensor("mish", "input", input)
    return given(input, _engine._mish, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Approximate the sigmoid by a line.

    min(max(x + 3, 0), 6) / 6.

    Args:
        input: Tensor of any shape and of a floating dtype.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.hardsigmoid(gb.tensor([-9.0, 0.0, 9.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    check.tensor("hardsigmoid", "input", input)
    return given(input, _engine._hardsigmoid, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Multiply each element by its hard sigmoid.

    x * min(max(x + 3, 0), 6) / 6 (Howard et al., arXiv:1905.02244).

    Args:
        input: Tensor of any shape and of a floating dtype.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.hardswish(gb.tensor([-9.0, 0.0, 9.0]))
    tensor([-0.,  0.,  9.])
    """
    check.tensor("hardswish", "input", input)
    return given(input, _engine._hardswish, inplace)


def softplus(
    input: Tensor, beta: float = 1.0, threshold: float = 20.0, *, out: Tensor | None = None
) -> Tensor:
    """Round the corner of relu.

    ln(1 + e^(beta * x)) / beta; x itself where beta * x > threshold.

    Args:
        input: Tensor of any shape and of a floating dtype.
        beta: How sharp the corner is.
        threshold: From where the line is taken.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same shape.

    Raises:
        DTypeError: The dtype has no such function.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.softplus(gb.tensor([0.0, 99.0]))
    tensor([ 0.6931, 99.0000])
    """
    if count_of_blocks():
        (input,) = as_listed("softplus", input)
    check.tensor("softplus", "input", input)
    beta = check.worth("softplus", "beta", beta)
    threshold = check.worth("softplus", "threshold", threshold)
    scaled = input if beta == 1 else input * beta
    bent = _engine._softplus(scaled) if beta == 1 else _engine._softplus(scaled) / beta
    if threshold < _STRAIGHT or input.dtype == float64:
        bent = where(scaled > threshold, input, bent)
    return written("softplus", bent, out)


def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the logarithm of the sigmoid, without overflow.

    -ln(1 + e^-x).

    Args:
        input: Tensor of any shape and of a floating dtype.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same shape.

    Raises:
        DTypeError: The dtype has no such function.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.logsigmoid(gb.tensor([0.0, -99.0]))
    tensor([ -0.6931, -99.0000])
    """
    return written("logsigmoid", _engine.logsigmoid(input), out)


def softsign(input: Tensor) -> Tensor:
    """Divide each element by 1 plus its absolute value.

    x / (1 + |x|).

    Args:
        input: Tensor of any shape and of a floating dtype.

    Returns:
        A new tensor of the same shape.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.softsign(gb.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
    check.tensor("softsign", "input", input)
    return input / (1 + input.abs())


def tanhshrink(input: Tensor) -> Tensor:
    """Take its tanh off each element.

    x - tanh(x).

    Args:
        input: Tensor of any shape and of a floating dtype.

    Returns:
        A new tensor of the same shape.

    Raises:
        DTypeError: The dtype has no such function.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.tanhshrink(gb.tensor([0.0, 2.0]))
    tensor([0.0000, 1.0360])
    """
    return check.tensor("tanhshrink", "input", input) - input.tanh()


def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Bring each element nearer to 0, by `lambd`.

    x - lambd above lambd, x + lambd below -lambd, else 0.

    Args:
        input: Tensor of any shape and of a floating dtype.
        lambd: By how much; not negative.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same shape.

    Raises:
        DTypeError: The dtype has no such function.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.softshrink(gb.tensor([-2.0, 0.25]))
    tensor([-1.5000,  0.0000])
    """
    check.tensor("softshrink", "input", input)
    least = _rounded(check.rate("softshrink", "lambd", lambd), input)
    return written("softshrink", _engine._softshrink(input, least), out)


def _rounded(number: float, input: Tensor) -> float:
    """Return what the number is among elements of a half type, which it is compared with."""
    if input.dtype not in (_engine.float16, _engine.bfloat16):
        return number
    return float(_engine.full((), number, dtype=input.dtype).item())


def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Replace what is near 0 by 0.

    x where |x| > lambd, else 0.

    Args:
        input: Tensor of any shape and of a floating dtype.
        lambd: What counts as near.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same shape.

    Raises:
        DTypeError: The dtype has no such function.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.hardshrink(gb.tensor([-2.0, 0.25]))
    tensor([-2.,  0.])
    """
    least = _rounded(lambd, check.tensor("hardshrink", "input", input))
    return written("hardshrink", _engine._hardshrink(input, least), out)


all_overridable(globals())
