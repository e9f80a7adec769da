"""Rows of the op table: elementwise ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.python.ops.op_row import (
    BITS,
    CONDITION,
    FLOATS,
    NUMBERS,
    Case,
    Draw,
    Row,
    boolean,
    real,
    reals,
)


def elementwise(*counts: int) -> list[Case]:
    """Sizes for an op of so many inputs: plain, broadcast, without dims, empty, over many lanes."""
    shapes = [((3, 4),), ((),), ((0, 3),), ((2, 1, 3),), ((1031,),)]
    if counts[0] > 1:
        shapes = [((3, 4),), ((3, 1), (1, 4)), ((2, 1, 3), (4, 1)), ((), (3,)), ((), ())]
        shapes += [((0, 3), (1, 3)), ((2, 3), ()), ((1031,),)]
    cases = []
    for given in shapes:
        inputs = [given[min(i, len(given) - 1)] for i in range(counts[0])]
        cases.append(Case(tuple(inputs)))
    return cases


def unary(name: str, reference: Callable[..., Any], draw: Draw, **more: Any) -> Row:
    more = {"cases": elementwise(1), "takes_out": True, "specials": True} | more
    return Row(name=name, reference=reference, draws=[draw], is_elementwise=True, **more)


def binary(name: str, reference: Callable[..., Any], *draws: Draw, **more: Any) -> Row:
    more = {"cases": elementwise(2), "takes_out": True, "specials": True} | more
    return Row(name=name, reference=reference, draws=draws, is_elementwise=True, **more)


def ternary(name: str, reference: Callable[..., Any], *draws: Draw, **more: Any) -> Row:
    more = {"cases": elementwise(3)} | more
    return Row(name=name, reference=reference, draws=draws, is_elementwise=True, **more)


def comparison(name: str, reference: Callable[..., Any]) -> Row:
    few = reals(-2, 2)  # of which integers are often equal
    return binary(name, reference, few, few, result=boolean, gradient_order=0)


def sign(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "f":
        return np.where(np.isnan(x), 0, np.sign(x))
    return np.sign(x.astype(np.int64)).astype(x.dtype)


def square(x: np.ndarray) -> np.ndarray:
    return np.square(x.astype(np.int64) if x.dtype.kind == "b" else x)


def counted(dtype: str) -> str:
    return "int64" if dtype == "bool" else dtype


def relu(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0, x.dtype.type(0), x)


def floor_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind != "f":
        return np.floor_divide(a, b)
    return np.where(b == 0, a / b, np.floor_divide(a, b))  # PyTorch's, where NumPy's differ


def remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """NumPy's, whose results of b's sign round once more: fmod is exact."""
    rest = np.fmod(a, b)
    if a.dtype.kind == "u":
        return rest
    return np.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


def of_each(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    """What the C library says of each element, in double."""
    return np.vectorize(lambda x: function(float(x)), otypes=["longdouble"])


def gelu(x: np.ndarray, approximate: str = "none") -> np.ndarray:
    if approximate == "tanh":
        share = 1 / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    else:
        share = of_each(math.erfc)(-x / np.sqrt(np.longdouble(2))) / 2
    return np.where(share == 0, 0, x * share)


def logsigmoid(x: np.ndarray) -> np.ndarray:
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


def silu(x: np.ndarray) -> np.ndarray:
    return np.where(x == -np.inf, -0.0, x / (1 + np.exp(-x)))


def fmod(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind == "f":
        return np.fmod(a, b)
    return np.where(b == 0, b, np.fmod(a, np.where(b == 0, b.dtype.type(1), b)))


SHARES = reals(-0.9, 0.9)
ANGLES, POSITIVE, NONZERO = reals(-50, 50), reals(0.05, 9), reals(0.3, 4)
SMALL, WIDE = reals(-4, 4), reals(-60, 60)

UNARY = [
    unary("abs", np.abs, WIDE),
    unary("bitwise_not", np.bitwise_not, WIDE, dtypes=BITS, gradient_order=0),
    unary("ceil", lambda x: np.ceil(x).astype(x.dtype), WIDE),
    unary("cos", np.cos, ANGLES, result=real, ulps=2),
    unary("erf", of_each(math.erf), SMALL, result=real, ulps=3, slopes=[reals(-2, 2)]),
    unary("exp", np.exp, reals(-80, 80), result=real, ulps=1.2, slopes=[SMALL]),
    unary("floor", lambda x: np.floor(x).astype(x.dtype), WIDE),
    unary(
        "gelu",
        gelu,
        SMALL,
        cases=[*elementwise(1), Case(((3, 4),), named={"approximate": "tanh"})],
        result=real,
        ulps=20,  # erfc of the reference takes an argument that was rounded
        takes_out=False,
        slopes=[reals(-2, 2)],
    ),
    unary("isfinite", np.isfinite, WIDE, result=boolean, gradient_order=0),
    unary("isinf", np.isinf, WIDE, result=boolean, gradient_order=0),
    unary("isnan", np.isnan, WIDE, result=boolean, gradient_order=0),
    unary("log", np.log, reals(0, 90), result=real, ulps=1.5, slopes=[POSITIVE]),
    unary("logical_not", np.logical_not, SMALL, result=boolean, gradient_order=0),
    unary("neg", np.negative, WIDE, dtypes=NUMBERS),
    unary("reciprocal", lambda x: 1 / x, WIDE, result=real, ulps=0.6, slopes=[NONZERO]),
    unary("relu", relu, WIDE, dtypes=NUMBERS),
    unary("round", lambda x: np.rint(x).astype(x.dtype), WIDE),
    unary("rsqrt", lambda x: 1 / np.sqrt(x), POSITIVE, result=real, ulps=1.6),
    unary("sigmoid", lambda x: 1 / (1 + np.exp(-x)), WIDE, result=real, ulps=3, slopes=[SMALL]),
    unary("sign", sign, WIDE),
    unary("sin", np.sin, ANGLES, result=real, ulps=2),
    unary("sqrt", np.sqrt, POSITIVE, result=real, ulps=0.6),
    unary("square", square, SMALL, result=counted, ulps=0.6),
    unary("tanh", np.tanh, reals(-9, 9), result=real, ulps=3, slopes=[reals(-2, 2)]),
    unary("trunc", lambda x: np.trunc(x).astype(x.dtype), WIDE),
]

TRANSCENDENTAL = [
    unary("acos", np.arccos, reals(-1, 1), result=real, ulps=2, slopes=[SHARES]),
    unary("acosh", np.arccosh, reals(1, 60), result=real, ulps=3, slopes=[reals(1.3, 9)]),
    unary("asin", np.arcsin, reals(-1, 1), result=real, ulps=3, slopes=[SHARES]),
    unary("asinh", np.arcsinh, WIDE, result=real, ulps=3, slopes=[SMALL]),
    unary("atan", np.arctan, WIDE, result=real, ulps=3, slopes=[SMALL]),
    unary("atanh", np.arctanh, reals(-1, 1), result=real, ulps=3, slopes=[SHARES]),
    unary("cosh", np.cosh, WIDE, result=real, ulps=2, slopes=[reals(-2, 2)]),
    unary("erfc", of_each(math.erfc), SMALL, result=real, ulps=5, slopes=[reals(-2, 2)]),
    unary("exp2", np.exp2, WIDE, result=real, ulps=1.5, slopes=[SMALL]),
    unary("expm1", np.expm1, reals(-60, 80), result=real, ulps=2, slopes=[reals(-2, 2)]),
    unary("log10", np.log10, reals(0, 90), result=real, ulps=2, slopes=[POSITIVE]),
    unary("log1p", np.log1p, reals(-1, 90), result=real, ulps=2, slopes=[POSITIVE]),
    unary("log2", np.log2, reals(0, 90), result=real, ulps=2, slopes=[POSITIVE]),
    unary("logsigmoid", logsigmoid, WIDE, result=real, ulps=3, slopes=[SMALL]),
    unary("silu", silu, WIDE, result=real, ulps=4, slopes=[SMALL]),
    unary("sinh", np.sinh, WIDE, result=real, ulps=2, slopes=[reals(-2, 2)]),
    unary("tan", np.tan, reals(-50, 50), result=real, ulps=4, slopes=[reals(-1, 1)]),
    binary("atan2", np.arctan2, WIDE, WIDE, result=real, ulps=4, slopes=[SMALL, NONZERO]),
    binary("copysign", np.copysign, WIDE, WIDE, result=real, slopes=[NONZERO, NONZERO]),
    binary("fmod", fmod, WIDE, SMALL, dtypes=NUMBERS, slopes=[SMALL, NONZERO]),
    binary("hypot", np.hypot, WIDE, WIDE, result=real, ulps=2, slopes=[NONZERO, NONZERO]),
    binary(
        "logaddexp",
        np.logaddexp,
        *(WIDE, WIDE),
        result=real,
        ulps=3,
        terms=1,
        slopes=[SMALL, SMALL],
        specials=False,  # see test_even_steps.py
    ),
]


def nan_to_num(x: np.ndarray, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


THREE = {"cases": elementwise(3), "dtypes": NUMBERS}
MADE_OF_OTHERS = [
    Row(
        name="addcmul",
        reference=lambda x, a, b, value=1: x + x.dtype.type(value) * a * b,
        draws=[SMALL] * 3,
        terms=3,
        **(THREE | {"cases": [*elementwise(3), Case(((3, 4),) * 3, named={"value": 3})]}),
    ),
    Row(
        name="addcdiv",
        reference=lambda x, a, b, value=1: x + value * a / b,
        draws=[SMALL, SMALL, NONZERO],
        terms=6,
        **(THREE | {"dtypes": FLOATS}),
    ),
    Row(
        name="nan_to_num",
        reference=nan_to_num,
        draws=[WIDE],
        cases=[*elementwise(1), Case(((3, 4),), (1.0, 2.0, 3.0))],
    ),
    Row(
        name="isclose",
        reference=np.isclose,
        draws=[reals(-2, 2)] * 2,
        cases=[*elementwise(2), Case(((3, 4),) * 2, (0.1, 0.5))],
        result=boolean,
        gradient_order=0,
    ),
]

BINARY = [
    binary("add", np.add, WIDE, WIDE, ulps=0.6),
    binary("sub", np.subtract, WIDE, WIDE, ulps=0.6, dtypes=NUMBERS),
    binary("mul", np.multiply, WIDE, WIDE, ulps=0.6),
    binary("div", np.divide, WIDE, WIDE, result=real, ulps=0.6, slopes=[SMALL, NONZERO]),
    binary(
        "floor_divide",
        floor_divide,
        *(WIDE, SMALL),
        dtypes=NUMBERS,
        ulps=1,
        slopes=[SMALL, NONZERO],
    ),
    binary("remainder", remainder, WIDE, SMALL, dtypes=NUMBERS, ulps=0.6, slopes=[SMALL, NONZERO]),
    binary(
        "pow",
        np.power,
        reals(0, 5),
        reals(0, 3),
        dtypes=NUMBERS,
        ulps=1.5,
        slopes=[POSITIVE, SMALL],
    ),
    binary("maximum", np.maximum, SMALL, SMALL),
    binary("minimum", np.minimum, SMALL, SMALL),
    comparison("eq", np.equal),
    comparison("ne", np.not_equal),
    comparison("lt", np.less),
    comparison("le", np.less_equal),
    comparison("gt", np.greater),
    comparison("ge", np.greater_equal),
    binary("bitwise_and", np.bitwise_and, WIDE, WIDE, dtypes=BITS, gradient_order=0),
    binary("bitwise_or", np.bitwise_or, WIDE, WIDE, dtypes=BITS, gradient_order=0),
    binary("bitwise_xor", np.bitwise_xor, WIDE, WIDE, dtypes=BITS, gradient_order=0),
    comparison("logical_and", np.logical_and),
    comparison("logical_or", np.logical_or),
    comparison("logical_xor", np.logical_xor),
]

TERNARY = [
    ternary("where", np.where, CONDITION, WIDE, WIDE),
    ternary(
        "lerp",
        lambda a, b, w: a + w * (b - a),
        *(SMALL, SMALL, reals(0, 1)),
        result=real,
        terms=3,
        takes_out=True,
    ),
    ternary("clamp", np.clip, WIDE, reals(-20, 0), reals(1, 20), dtypes=NUMBERS, takes_out=True),
]
