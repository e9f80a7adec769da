"""Orthogonal polynomials, each by the recurrence of its family from the two of lowest degree."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._engine import Tensor

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]


class _Family(NamedTuple):
    """The polynomial of degree 1, and that of degree k + 1 by x, k and the two below it."""

    first: Callable[[Tensor], Tensor]
    next: Callable[[Tensor, int, Tensor, Tensor], Tensor]


def _chebyshev(first: Callable[[Tensor], Tensor]) -> _Family:
    return _Family(first, lambda x, k, p, q: 2 * x * p - q)


_T = _chebyshev(lambda x: x)
_U = _chebyshev(lambda x: 2 * x)
_V = _chebyshev(lambda x: 2 * x - 1)
_W = _chebyshev(lambda x: 2 * x + 1)
_H = _Family(lambda x: 2 * x, lambda x, k, p, q: 2 * x * p - 2 * k * q)
_HE = _Family(lambda x: x, lambda x, k, p, q: x * p - k * q)
_L = _Family(lambda x: 1 - x, lambda x, k, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1))
_P = _Family(lambda x: x, lambda x, k, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1))


def _value(family: _Family, x: Tensor, n: Tensor | float) -> Tensor:
    degrees = n.trunc() if is_really(n, Tensor) else None
    most = int(n) if degrees is None else int(degrees.max().item()) if degrees.numel() else -1
    result = _engine.zeros_like(x if degrees is None else x + degrees)
    below, value = result, _engine.ones_like(x)
    for degree in range(most + 1):
        if degree == 1:
            below, value = value, family.first(x)
        elif degree > 1:
            below, value = value, family.next(x, degree - 1, value, below)
        if degrees is not None:
            result = _engine.where(degrees == degree, value, result)
    return result if degrees is not None or most < 0 else value


def _polynomial(name: str, whose: str, family: _Family, shown: str) -> Callable[..., Tensor]:
    is_shifted = name.startswith("shifted")

    def polynomial(
        input: Tensor | float, n: Tensor | float, *, out: Tensor | None = None
    ) -> Tensor:
        place = n.device if is_really(n, Tensor) else None
        x = input
        if not is_really(x, Tensor):
            check.tensor(name, "n", n)  # one of both
            x = _engine.tensor(check.worth(name, "input", x), device=place)
        if not x.is_floating_point():
            x = x.to(_engine.get_default_dtype())
        if not is_really(n, Tensor):
            n = check.worth(name, "n", n)
        return written(name, _value(family, 2 * x - 1 if is_shifted else x, n), out)

    polynomial.__name__ = polynomial.__qualname__ = name
    polynomial.__doc__ = f"""Return {whose} of degree `n`, by its recurrence.

    Args:
        input: Tensor of any sizes, or a number where `n` is a tensor; what is not floating counts
            in the default dtype.
        n: The degree, or a tensor of degrees whose sizes broadcast; below 0 the result is 0.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new floating tensor of the sizes that both broadcast to.

    Raises:
        ShapeError: The sizes do not broadcast.
        TypeError: An argument is of another type, or none is a tensor.
        DisposedError: A tensor is disposed.

    {">" * 3} gb.special.{name}(gb.tensor([0.5, 2.0]), 2)
    {shown}
    """
    return polynomial


_CHEBYSHEV = "Chebyshev's polynomial of the"

chebyshev_polynomial_t: Callable[..., Tensor] = _polynomial(
    "chebyshev_polynomial_t", f"{_CHEBYSHEV} first kind", _T, "tensor([-0.5000,  7.0000])"
)
chebyshev_polynomial_u: Callable[..., Tensor] = _polynomial(
    "chebyshev_polynomial_u", f"{_CHEBYSHEV} second kind", _U, "tensor([ 0., 15.])"
)
chebyshev_polynomial_v: Callable[..., Tensor] = _polynomial(
    "chebyshev_polynomial_v", f"{_CHEBYSHEV} third kind", _V, "tensor([-1., 11.])"
)
chebyshev_polynomial_w: Callable[..., Tensor] = _polynomial(
    "chebyshev_polynomial_w", f"{_CHEBYSHEV} fourth kind", _W, "tensor([ 1., 19.])"
)
hermite_polynomial_h: Callable[..., Tensor] = _polynomial(
    "hermite_polynomial_h", "the physicists' Hermite polynomial", _H, "tensor([-1., 14.])"
)
hermite_polynomial_he: Callable[..., Tensor] = _polynomial(
    "hermite_polynomial_he",
    "the probabilists' Hermite polynomial",
    _HE,
    "tensor([-0.7500,  3.0000])",
)
laguerre_polynomial_l: Callable[..., Tensor] = _polynomial(
    "laguerre_polynomial_l", "Laguerre's polynomial", _L, "tensor([ 0.1250, -1.0000])"
)
legendre_polynomial_p: Callable[..., Tensor] = _polynomial(
    "legendre_polynomial_p", "Legendre's polynomial", _P, "tensor([-0.1250,  5.5000])"
)
shifted_chebyshev_polynomial_t: Callable[..., Tensor] = _polynomial(
    "shifted_chebyshev_polynomial_t",
    f"{_CHEBYSHEV} first kind at 2x - 1",
    _T,
    "tensor([-1., 17.])",
)
shifted_chebyshev_polynomial_u: Callable[..., Tensor] = _polynomial(
    "shifted_chebyshev_polynomial_u",
    f"{_CHEBYSHEV} second kind at 2x - 1",
    _U,
    "tensor([-1., 35.])",
)
shifted_chebyshev_polynomial_v: Callable[..., Tensor] = _polynomial(
    "shifted_chebyshev_polynomial_v",
    f"{_CHEBYSHEV} third kind at 2x - 1",
    _V,
    "tensor([-1., 29.])",
)
shifted_chebyshev_polynomial_w: Callable[..., Tensor] = _polynomial(
    "shifted_chebyshev_polynomial_w",
    f"{_CHEBYSHEV} fourth kind at 2x - 1",
    _W,
    "tensor([-1., 41.])",
)

all_overridable(globals())
