"""Rows of the op table: special functions, shifts, and formulas of other ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from tests.python.ops.op_elementwise import (
    NONZERO,
    POSITIVE,
    SMALL,
    WIDE,
    binary,
    elementwise,
    of_each,
    unary,
)
from tests.python.ops.op_row import INTEGERS, NUMBERS, Case, boolean, real, reals


def digamma(x: np.ndarray) -> np.ndarray:
    x, total = x.astype(np.longdouble), np.zeros(x.shape, np.longdouble)
    for _ in range(400):
        total -= 1 / x
        x = x + 1
    z = 1 / (x * x)
    return total + np.log(x) - 0.5 / x - z * (1 / np.longdouble(12) - z * (1 / np.longdouble(120)))


def lgamma(x: float) -> float:
    return math.lgamma(x) if x else math.inf


def erfinv(x: float) -> float:
    if x == 1:
        return math.inf
    y = NormalDist().inv_cdf((1 + x) / 2) / math.sqrt(2)
    return y - (math.erf(y) - x) * math.sqrt(math.pi) / 2 * math.exp(y * y)


def erfcx(x: float) -> float:
    return math.exp(x * x) * math.erfc(x)


def xlogy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y))


def heaviside(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(x == 0, y, (x > 0).astype(y.dtype))


def logit(x: np.ndarray, eps: float | None = None) -> np.ndarray:
    share = x if eps is None else np.clip(x, eps, 1 - eps)
    return np.log(share / (1 - share))


def turning(order: int, waves: bool) -> Callable[[np.ndarray], np.ndarray]:
    """A Bessel function, J or I, as the mean of what turns once around: exact to all digits."""
    angle = (np.arange(200, dtype=np.longdouble) + 0.5) * (2 * np.longdouble(np.pi) / 200)

    def mean(x: np.ndarray) -> np.ndarray:
        x = x[..., None]
        if waves:
            return np.asarray(np.cos(order * angle - x * np.sin(angle)).mean(-1))
        return np.asarray((np.exp(x * np.cos(angle)) * np.cos(order * angle)).mean(-1))

    return mean


def scaled(function: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: function(x) * np.exp(-np.abs(x))


def lower_share(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    a, x = np.broadcast_arrays(a, x)
    term = total = np.ones(a.shape, np.longdouble) / np.where(a == 0, 1, a)
    for k in range(1, 120):
        term = term * x / (a + k)
        total = total + term
    gamma = np.vectorize(math.gamma, otypes=[np.longdouble])(np.where(a == 0, 1, a))
    inside = np.where(x == 0, 0, total * x**a * np.exp(-x) / gamma)
    return np.where(a == 0, np.where(x == 0, np.nan, 1), inside)


def upper_share(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    return 1 - lower_share(a, x)


def zeta(s: np.ndarray, q: np.ndarray) -> np.ndarray:
    s, q = np.broadcast_arrays(s, q)
    total = sum((q + k) ** -s for k in range(200))
    end = q + 200
    tail = end ** (1 - s) / (s - 1) + end**-s / 2 + s * end ** (-s - 1) / 12
    tail = tail - s * (s + 1) * (s + 2) * end ** (-s - 3) / 720
    found = np.where(q == 0, np.inf, total + tail)
    return np.where(s == 1, np.inf, np.where(s < 1, np.nan, found))


def float_power(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.power(x.astype(np.longdouble), y)


def double(dtype: str) -> str:
    return "float64"


PLAIN: dict[str, Any] = {"specials": False}
PARTIAL: dict[str, Any] = {"specials": False, "gradient_order": 0, "has_partial_gradient": True}
WHOLE: dict[str, Any] = {"dtypes": INTEGERS, "gradient_order": 0}

SPECIAL = [
    unary("lgamma", of_each(lgamma), reals(1, 60), result=real, ulps=6, terms=1, **PLAIN),
    unary("digamma", digamma, reals(2, 60), result=real, ulps=8, **PLAIN),
    unary("erfinv", of_each(erfinv), reals(-0.9, 0.9), result=real, ulps=6, **PLAIN),
    unary("signbit", np.signbit, WIDE, result=boolean, gradient_order=0),
    unary("frac", lambda x: x - np.trunc(x).astype(x.dtype), WIDE, dtypes=NUMBERS),
    unary("sinc", np.sinc, reals(-2, 2), result=real, terms=8, **PLAIN),
    unary("deg2rad", np.deg2rad, WIDE, result=real, ulps=2),
    unary("rad2deg", np.rad2deg, WIDE, result=real, ulps=2, **PLAIN),
    unary(
        "logit",
        logit,
        reals(0.05, 0.95),
        result=real,
        ulps=4,
        terms=4,
        cases=[*elementwise(1), Case(((3, 4),), (0.25,))],
        **PLAIN,
    ),
    unary("i0", turning(0, False), reals(-12, 12), result=real, ulps=4, terms=4, **PLAIN),
    unary("i0e", scaled(turning(0, False)), reals(-12, 12), result=real, ulps=4, terms=4, **PLAIN),
    unary("i1", turning(1, False), reals(-12, 12), result=real, ulps=4, terms=4, **PLAIN),
    unary("i1e", scaled(turning(1, False)), reals(-12, 12), result=real, ulps=4, terms=4, **PLAIN),
    unary("bessel_j0", turning(0, True), reals(-20, 20), result=real, terms=6, **PLAIN),
    unary("bessel_j1", turning(1, True), reals(-20, 20), result=real, terms=6, **PLAIN),
    unary("erfcx", of_each(erfcx), reals(-3, 5), result=real, ulps=12, terms=4, **PLAIN),
    binary("igamma", lower_share, reals(1, 8), reals(1, 8), result=real, terms=16, **PARTIAL),
    binary("igammac", upper_share, reals(1, 8), reals(1, 8), result=real, terms=16, **PARTIAL),
    binary("zeta", zeta, reals(1.5, 6), reals(1, 6), result=real, ulps=8, **PARTIAL),
    binary("xlogy", xlogy, POSITIVE, POSITIVE, result=real, ulps=2, terms=2, **PLAIN),
    binary("logaddexp2", np.logaddexp2, SMALL, SMALL, result=real, ulps=3, terms=1, **PLAIN),
    binary("fmax", np.fmax, SMALL, SMALL),
    binary("fmin", np.fmin, SMALL, SMALL),
    binary("heaviside", heaviside, reals(-2, 2), SMALL, gradient_order=0),
    binary("gcd", np.gcd, WIDE, WIDE, **WHOLE),
    binary("lcm", np.lcm, reals(-12, 12), reals(-12, 12), **WHOLE),
    binary("bitwise_left_shift", np.left_shift, WIDE, reals(0, 5), **WHOLE),
    binary("bitwise_right_shift", np.right_shift, WIDE, reals(0, 5), **WHOLE),
    binary("float_power", float_power, POSITIVE, SMALL, result=double, ulps=2, **PLAIN),
    binary("ldexp", lambda x, y: x * 2.0**y, SMALL, reals(-3, 3), result=real, ulps=2, **PLAIN),
    binary("clamp_min", np.maximum, WIDE, SMALL, slopes=[SMALL, NONZERO], **PLAIN),
    binary("clamp_max", np.minimum, WIDE, SMALL, slopes=[SMALL, NONZERO], **PLAIN),
]
