"""Functions of statistics and mathematics that are made of ops; `garboard.special` has them."""

from __future__ import annotations

from math import factorial, inf, log, nan, pi, sqrt
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, where
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard.types import Number

__all__ = [
    "entr",
    "log_ndtr",
    "mvlgamma",
    "ndtr",
    "ndtri",
    "nextafter",
    "polygamma",
    "spherical_bessel_j0",
    "xlog1py",
]

# From here on outwards log_ndtr is a series of 1 / x^2, to the last digit of a dtype.
_FAR = {"float64": -28.0, "float32": -12.0, "bfloat16": -12.0, "float16": -12.0}
_FAR_TERMS = (1.0, -1.0, 3.0, -15.0, 105.0, -945.0, 10395.0)


def _floating(op: str, name: str, given: Tensor) -> Tensor:
    x = check.tensor(op, name, given)
    if x.dtype.is_complex:
        raise _engine.DTypeError(f"{op}: {name} of dtype {x.dtype}; a real one is needed")
    return x if x.dtype.is_floating_point else x.to(_engine.get_default_dtype())


def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return -x log(x), the part of an entropy: 0 of 0, and -inf below.

    Args:
        input: Tensor of any shape; integers become the default dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes. Until backward the graph keeps `input`.

    Raises:
        DisposedError: The tensor is disposed.

    >>> gb.special.entr(gb.tensor([0.5, -1.0]))
    tensor([0.3466,   -inf])
    """
    x = _floating("entr", "input", input)
    with _engine.DisposeScope("entr") as scope:
        made = where(x < 0, -inf, -_engine.xlogy(x, x))
        return written("entr", scope.move_to_outer(made), out)


def xlog1py(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Return x log(1 + y), and 0 where x is 0, whatever y is but NaN.

    Args:
        input: Tensor x, or a number.
        other: Tensor y, or a number; one of both is a tensor.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of the broadcast sizes. Until backward the graph keeps both.

    Raises:
        ShapeError: They do not broadcast.
        TypeError: Both are numbers, or something else.
        DisposedError: A tensor is disposed.

    >>> gb.special.xlog1py(gb.tensor([0.0, 2.0]), gb.tensor([-1.0, 0.0]))
    tensor([0., 0.])
    """
    op = "xlog1py"
    given = [
        one if isinstance(one, Tensor) else check.real(op, name, one)
        for name, one in (("input", input), ("other", other))
    ]
    like = next((one for one in given if isinstance(one, Tensor)), None)
    if like is None:
        raise TypeError(f"{op}: two numbers; at least one Tensor is needed")
    with _engine.DisposeScope(op) as scope:
        dtype = _engine.result_type(*given)
        if not dtype.is_floating_point:
            dtype = _engine.get_default_dtype()
        x, y = (
            one.to(dtype)
            if isinstance(one, Tensor)
            else _engine.full((), one, dtype=dtype, device=like.device)
            for one in given
        )
        is_lost = (x == 0) & ((y <= -1) | (y == inf))
        made = x * where(is_lost, 0.0, y).log1p()
        return written(op, scope.move_to_outer(made), out)


def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return how much of the standard normal distribution lies below: erfc(-x / sqrt(2)) / 2.

    Args:
        input: Tensor of any shape; integers become the default dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes. Until backward the graph keeps a multiple of it.

    Raises:
        DisposedError: The tensor is disposed.

    >>> gb.special.ndtr(gb.tensor([0.0]))
    tensor([0.5000])
    """
    x = _floating("ndtr", "input", input)
    with _engine.DisposeScope("ndtr") as scope:
        return written("ndtr", scope.move_to_outer((x * -sqrt(0.5)).erfc() * 0.5), out)


def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of `ndtr`, exact where that is 0.

    Far below 0 it is a series (Abramowitz and Stegun, 26.2.12).

    Args:
        input: Tensor of any shape; integers become the default dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes.

    Raises:
        DisposedError: The tensor is disposed.

    >>> gb.special.log_ndtr(gb.tensor([-10.0]))
    tensor([-53.2313])
    """
    x = _floating("log_ndtr", "input", input)
    with _engine.DisposeScope("log_ndtr") as scope:
        far = _FAR[str(x.dtype).rpartition(".")[2]]
        near = where(x < far, far, x)
        below = (near * -sqrt(0.5)).erfc()
        above = (-0.5 * (near.clamp(min=0) * sqrt(0.5)).erfc()).log1p()
        made = where(near > 0, above, where(near > 0, 1.0, below * 0.5).log())
        beyond = where(x < far, x, far)
        inverse = beyond.square().reciprocal()
        series = _engine.full_like(inverse, _FAR_TERMS[-1])
        for term in _FAR_TERMS[-2::-1]:
            series = series * inverse + term
        tail = series.log() - beyond.square() / 2 - (-beyond).log() - 0.5 * log(2 * pi)
        return written("log_ndtr", scope.move_to_outer(where(x < far, tail, made)), out)


def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return where so much of the standard normal distribution lies below: the inverse of `ndtr`.

    Args:
        input: Tensor of numbers from 0 to 1, of any shape; NaN comes of others.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes. Until backward the graph keeps some twenty as large.

    Raises:
        DisposedError: The tensor is disposed.

    >>> gb.special.ndtri(gb.tensor([0.0, 0.5, 1.0]))
    tensor([-inf, 0., inf])
    """
    x = _floating("ndtri", "input", input)
    with _engine.DisposeScope("ndtri") as scope:
        wide = x.to(_engine.float64)
        is_upper = wide > 0.5
        share = where(is_upper, 1 - wide, wide)
        is_inside = (share > 0) & (share <= 0.5)
        share = where(is_inside, share, 0.25)
        level = share.log()
        with no_grad():
            found = where(share > 1e-3, (2 * share - 1).erfinv() * sqrt(2), -((-2 * level).sqrt()))
            for _ in range(4):
                found = _nearer(found, level)
        for _ in range(2):  # recorded: so many derivatives are right
            found = _nearer(found, level)
        found = where(is_upper, -found, found)
        edges = where(wide == 0, -inf, where(wide == 1, inf, nan))
        made = where(is_inside, found, edges).to(x.dtype)
        return written("ndtri", scope.move_to_outer(made), out)


def _nearer(x: Tensor, level: Tensor) -> Tensor:
    """A step of Newton's towards log_ndtr(x) = level, which bends little."""
    below = log_ndtr(x)
    return x - (below - level) * (below + x.square() / 2).exp() * sqrt(2 * pi)


def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the multivariate gamma function.

    Args:
        input: Tensor of any shape, above (p - 1) / 2.
        p: The number of dimensions, 1 or more.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes. Until backward the graph keeps `p` times as much.

    Raises:
        ValueError: `p` is below 1.
        TypeError: It is no integer.
        DisposedError: The tensor is disposed.

    >>> gb.mvlgamma(gb.tensor([2.0]), 1)
    tensor([0.])
    """
    op = "mvlgamma"
    count = check.count(op, "p", p, 1)
    x = _floating(op, "input", input)
    with _engine.DisposeScope(op) as scope:
        halves = _engine.arange(count, dtype=x.dtype, device=x.device) * -0.5
        made = (x.unsqueeze(-1) + halves).lgamma().sum(-1) + count * (count - 1) / 4 * log(pi)
        return written(op, scope.move_to_outer(made), out)


_LARGEST_FACTORIAL = 170  # of those that a float64 holds


def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the n-th derivative of `digamma`: (-1)^(n + 1) n! zeta(n + 1, x).

    Args:
        n: Which derivative, 0 or more; 0 is `digamma` itself.
        input: Tensor x of any shape; integers become the default dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes. Until backward the graph keeps `input`.

    Raises:
        ValueError: `n` is negative.
        TypeError: An argument is of another type.
        DisposedError: The tensor is disposed.

    >>> gb.polygamma(1, gb.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
    op = "polygamma"
    order = check.count(op, "n", n)
    x = _floating(op, "input", input)
    with _engine.DisposeScope(op) as scope:
        if order == 0:
            made = x.digamma()
        elif order == 1:
            made = _engine._trigamma(x)
        else:
            size = float(factorial(order)) if order <= _LARGEST_FACTORIAL else inf
            factor = size if order % 2 else -size
            made = _engine.zeta(float(order + 1), x) * factor
        return written(op, scope.move_to_outer(made), out)


_BITS = {
    _engine.float16: _engine.int16,
    _engine.bfloat16: _engine.int16,
    _engine.float32: _engine.int32,
    _engine.float64: _engine.int64,
}


def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the number next to `input` in its dtype, on the side of `other`.

    Args:
        input: Tensor of any shape.
        other: Tensor whose sizes broadcast with `input`'s; one of both is of a floating dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of the broadcast sizes and the promoted dtype: `other` where both are equal,
        NaN where one is. No gradient passes.

    Raises:
        ShapeError: The sizes do not broadcast.
        DTypeError: Neither is of a floating dtype.
        DeviceError: The tensors are on two devices.
        TypeError: An argument is no tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nextafter(gb.tensor(1.0), gb.tensor(2.0)).item() - 1.0
    1.1920928955078125e-07
    """
    op = "nextafter"
    check.tensor(op, "input", input)
    check.tensor(op, "other", other)
    dtype = _engine.result_type(input, other)
    if dtype not in _BITS:
        raise _engine.DTypeError(f"{op}: dtype {dtype}; a floating one is needed")
    with no_grad(), _engine.DisposeScope(op) as scope:
        x, end = (it.to(dtype) for it in _engine.broadcast_tensors(input, other))
        bits = x.view(_BITS[dtype])
        # The bits of numbers count upwards away from 0.
        step = where((end > x) == (x > 0), 1, -1).to(bits.dtype)
        least = _engine.ones_like(bits).view(dtype).copysign(end)
        moved = where(x == 0, least, (bits + step).view(dtype))
        found = where(x == end, end, where(x.isnan() | end.isnan(), nan, moved))
        return written(op, scope.move_to_outer(found), out)


def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the spherical Bessel function of order 0: sin(x) / x, and 1 at 0.

    Args:
        input: Tensor x of any shape; integers become the default dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes. Until backward the graph keeps some as large.

    Raises:
        DisposedError: The tensor is disposed.

    >>> gb.special.spherical_bessel_j0(gb.tensor([0.0, 1.0]))
    tensor([1.0000, 0.8415])
    """
    op = "spherical_bessel_j0"
    x = _floating(op, "input", input)
    with _engine.DisposeScope(op) as scope:
        is_small = x.detach().abs() < 0.5
        squared = where(is_small, x, 0.0).square()
        series = _engine.full_like(squared, _SERIES[-1])
        for term in _SERIES[-2::-1]:
            series = series * squared + term
        angle = where(is_small, 1.0, x)
        far = where(x.isinf(), 0.0, where(x.isinf(), 1.0, angle).sin() / angle)
        return written(op, scope.move_to_outer(where(is_small, series, far)), out)


# sin(x) / x in powers of x^2; near 0 all derivatives come of them.
_SERIES = tuple((-1) ** k / factorial(2 * k + 1) for k in range(9))


def _polygamma_of(self: Tensor, n: int) -> Tensor:
    """Compute the n-th derivative of `digamma`; see `garboard.polygamma`.

    Args:
        n: Which derivative, 0 or more.

    Returns:
        A new tensor of this one's sizes.

    Raises:
        ValueError: `n` is negative.

    >>> gb.tensor([1.0]).polygamma(1)
    tensor([1.6449])
    """
    return polygamma(n, self)


def _polygamma_(self: Tensor, n: int) -> Tensor:
    """Write what `polygamma` returns into the tensor.

    Args:
        n: Which derivative, 0 or more.

    Returns:
        The tensor itself.

    Raises:
        DTypeError: It is not floating.
        GradientError: A leaf that requires grad is written.
        ValueError: `n` is negative.

    >>> gb.tensor([1.0]).polygamma_(1)
    tensor([1.6449])
    """
    return _written_over("polygamma_", self, polygamma(n, _apart(self)))


def _mvlgamma_(self: Tensor, p: int) -> Tensor:
    """Write what `mvlgamma` returns into the tensor.

    Args:
        p: The number of dimensions, 1 or more.

    Returns:
        The tensor itself.

    Raises:
        DTypeError: It is not floating.
        GradientError: A leaf that requires grad is written.
        ValueError: `p` is below 1.

    >>> gb.tensor([2.0]).mvlgamma_(1)
    tensor([0.])
    """
    return _written_over("mvlgamma_", self, mvlgamma(_apart(self), p))


def _nextafter_(self: Tensor, other: Tensor) -> Tensor:
    """Write what `nextafter` returns into the tensor.

    Args:
        other: Tensor whose sizes broadcast to this one's.

    Returns:
        The tensor itself.

    Raises:
        ShapeError: The sizes do not broadcast.
        DTypeError: Neither is of a floating dtype.
        GradientError: A leaf that requires grad is written.
        TypeError: `other` is no tensor.

    >>> gb.tensor([0.0]).nextafter_(gb.tensor([1.0])) > 0
    tensor([True])
    """
    return _written_over("nextafter_", self, nextafter(self, other))


def _apart(given: Tensor) -> Tensor:
    """What backward may keep while the tensor is written."""
    return given.clone() if given.requires_grad else given


def _written_over(op: str, self: Tensor, made: Tensor) -> Tensor:
    if not self.dtype.is_floating_point:
        raise _engine.DTypeError(f"{op}: dtype {self.dtype}; a floating one is needed to write it")
    if made.shape != self.shape:
        raise _engine.ShapeError(
            f"{op}: sizes {[*made.shape]} into {[*self.shape]}; they must be equal"
        )
    return self.copy_(made)


add_methods(
    Tensor,
    {
        "mvlgamma": mvlgamma,
        "mvlgamma_": _mvlgamma_,
        "nextafter": nextafter,
        "nextafter_": _nextafter_,
        "polygamma": _polygamma_of,
        "polygamma_": _polygamma_,
    },
)

all_overridable(globals())
