"""Every op once: its reference in NumPy, what it is tested on, how exact it must be.

A row buys all tests of `test_ops.py`. References get floating inputs as `np.longdouble`, so that
errors can be told in units of the last place (ULP), and all else in the dtype that it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.python.op_products import PRODUCTS
from tests.python.op_row import (
    BITS,
    CONDITION,
    FLOATS,
    NUMBERS,
    Case,
    Draw,
    Row,
    boolean,
    index,
    named,
    real,
    reals,
    summed,
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
    unary("square", np.square, SMALL, ulps=0.6),
    unary("tanh", np.tanh, reals(-9, 9), result=real, ulps=3, slopes=[reals(-2, 2)]),
    unary("trunc", lambda x: np.trunc(x).astype(x.dtype), WIDE),
]

BINARY = [
    binary("add", np.add, WIDE, WIDE, ulps=0.6),
    binary("sub", np.subtract, WIDE, WIDE, ulps=0.6, dtypes=NUMBERS),
    binary("mul", np.multiply, WIDE, WIDE, ulps=0.6),
    binary("div", np.divide, WIDE, WIDE, result=real, ulps=0.6, slopes=[SMALL, NONZERO]),
    binary("floor_divide", floor_divide, WIDE, SMALL, dtypes=NUMBERS, ulps=1, gradient_order=0),
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
    ),
    ternary("clamp", np.clip, WIDE, reals(-20, 0), reals(1, 20), dtypes=NUMBERS),
]


def over_dims(*extra: Case) -> list[Case]:
    """Cases of a reduction: all, one dim, several, negative ones, kept ones, no dims at all."""
    return [
        Case(((3, 4),)),
        Case(((3, 4, 2),), (1,)),
        Case(((3, 4, 2),), (-1, True)),
        Case(((3, 4, 2),), ((0, 2),)),
        Case(((3, 4, 2),), named=named(dim=[2, 0], keepdim=True)),
        Case(((),)),
        Case(((),), (0,)),
        Case(((3, 1, 2),), (1,)),
        Case(((521, 5),), (0,)),
        Case(((5, 521),), (1,)),
        *extra,
    ]


EMPTY = (Case(((0,),)), Case(((0, 3),), (0,)), Case(((2, 0),), (0,)))
ONE_DIM = [case for case in over_dims() if case.arguments[:1] in ((1,), (-1,), (0,))]


def reducing(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: np.ndarray, dim: Any = None, keepdim: bool = False) -> Any:
        axis = tuple(dim) if isinstance(dim, tuple | list) else dim
        if x.ndim == 0:  # which has a dim 0 for PyTorch, and none for NumPy
            return function(x)
        return function(x, axis=axis, keepdims=keepdim)

    return reference


def extreme(function: Callable[..., Any], place: Callable[..., Any]) -> Callable[..., Any]:
    """Values and indices along a dim; the value alone without one."""

    def reference(x: np.ndarray, *dim: int, **more: Any) -> Any:
        values = reducing(function)(x, *dim, **more)
        return (values, reducing(place)(x, *dim, **more)) if dim else values

    return reference


KEPT = {"keepdim": True}


def kept(case: Case) -> dict[str, Any]:
    """What `var` takes by name alone: keepdim, and no correction where there is one element."""
    options = KEPT if case.arguments[1:] else {}
    is_single = case.shapes[0] in ((), (3, 1, 2))
    return options | ({"correction": 0} if is_single else {})


def spread(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(
        x: np.ndarray, dim: Any = None, keepdim: bool = False, correction: float = 1
    ) -> Any:
        along = reducing(lambda x, **more: function(x, ddof=correction, **more))
        return along(x, dim, keepdim)

    return reference


def cumsum(x: np.ndarray, dim: int) -> np.ndarray:
    kind = x.dtype if x.dtype.kind == "f" else "int64"
    return x.cumsum(dim if x.ndim else None, kind).reshape(x.shape)


def logsumexp(x: np.ndarray, dim: Any, keepdim: bool = False) -> np.ndarray:
    dims = tuple(dim) if isinstance(dim, list) else dim
    dims = dims if x.ndim else None
    largest = x.max(dims, keepdims=True) if x.size else np.zeros(())
    total = np.exp(x - largest).sum(dims, keepdims=keepdim)
    return np.log(total) + largest.reshape(total.shape if x.size else ())


REDUCTIONS = [
    Row(
        name="sum",
        reference=reducing(np.sum),
        draws=[WIDE],
        cases=over_dims(*EMPTY),
        result=summed,
        terms=600,
    ),
    Row(
        name="prod",
        reference=reducing(np.prod),
        draws=[reals(-1.4, 1.4)],
        cases=over_dims(*EMPTY),
        result=summed,
        terms=600,
    ),
    Row(
        name="mean",
        reference=reducing(np.mean),
        draws=[WIDE],
        cases=over_dims(),
        dtypes=FLOATS,
        terms=600,
    ),
    Row(
        name="var",
        reference=spread(np.var),
        draws=[SMALL],
        cases=[Case(c.shapes, c.arguments[:1], c.named | kept(c)) for c in over_dims()]
        + [Case(((5, 4),), (0,), named(correction=c)) for c in (0, 0.5, 4)],
        dtypes=FLOATS,
        terms=60,
    ),
    Row(
        name="std",
        reference=spread(np.std),
        draws=[SMALL],
        cases=[
            *(Case(((3, 4),)), Case(((3, 4, 2),), (1,)), Case(((521, 5),), (0,), KEPT)),
            Case(((3, 4, 2),), ([2, 0],), named(correction=0)),
        ],
        dtypes=FLOATS,
        terms=60,
    ),
    Row(
        name="cumsum",
        reference=cumsum,
        draws=[WIDE],
        cases=[
            *(Case(((3, 4),), (0,)), Case(((3, 4),), (1,)), Case(((3, 4, 2),), (-2,))),
            *(Case(((),), (0,)), Case(((0, 3),), (0,)), Case(((2, 0),), (0,))),
            *(Case(((521, 5),), (0,)), Case(((5, 521),), (1,)), Case(((2, 30, 600),), (1,))),
        ],
        result=summed,
        terms=600,
    ),
    Row(
        name="logsumexp",
        reference=logsumexp,
        draws=[WIDE],
        cases=[case for case in over_dims(*EMPTY) if case.arguments or case.named.get("dim")],
        result=real,
        ulps=4,
        terms=4,
    ),
    Row(name="amax", reference=reducing(np.max), draws=[WIDE], cases=over_dims()),
    Row(name="amin", reference=reducing(np.min), draws=[WIDE], cases=over_dims()),
    Row(
        name="all",
        reference=reducing(np.all),
        draws=[SMALL],
        cases=over_dims(*EMPTY),
        result=boolean,
        gradient_order=0,
    ),
    Row(
        name="any",
        reference=reducing(np.any),
        draws=[SMALL],
        cases=over_dims(*EMPTY),
        result=boolean,
        gradient_order=0,
    ),
    Row(name="max", reference=extreme(np.max, np.argmax), draws=[WIDE], cases=ONE_DIM),
    Row(name="min", reference=extreme(np.min, np.argmin), draws=[WIDE], cases=ONE_DIM),
    Row(
        name="argmax",
        reference=reducing(np.argmax),
        draws=[WIDE],
        cases=[Case(((3, 4),)), Case(((),)), Case(((3, 4),), named=named(keepdim=True)), *ONE_DIM],
        result=index,
        gradient_order=0,
    ),
    Row(
        name="argmin",
        reference=reducing(np.argmin),
        draws=[WIDE],
        cases=[Case(((3, 4),)), Case(((),)), Case(((3, 4),), named=named(keepdim=True)), *ONE_DIM],
        result=index,
        gradient_order=0,
    ),
]


def shape_row(name: str, reference: Callable[..., Any], *cases: Case, **more: Any) -> Row:
    draws = [WIDE] * max(len(case.shapes) for case in cases)
    return Row(name=name, reference=reference, draws=draws, cases=cases, **more)


def of(shape: tuple[int, ...], *arguments: Any, **named_arguments: Any) -> Case:
    return Case((shape,), arguments, named_arguments)


def squeeze(x: np.ndarray, dim: int | None = None) -> np.ndarray:
    if dim is not None and (x.ndim == 0 or x.shape[dim] != 1):
        return x
    return np.squeeze(x, dim)


def flatten(x: np.ndarray, start_dim: int = 0, end_dim: int = -1) -> np.ndarray:
    first, last = start_dim % max(x.ndim, 1), end_dim % max(x.ndim, 1)
    return x.reshape(*x.shape[:first], -1, *x.shape[last + 1 :])


def expand(x: np.ndarray, *sizes: int) -> np.ndarray:
    padded = (1,) * (len(sizes) - x.ndim) + x.shape
    wide = [own if size == -1 else size for size, own in zip(sizes, padded, strict=True)]
    return np.broadcast_to(x, wide)


RESHAPES = [of((3, 4), 2, 6), of((3, 4), -1), of((3, 4), 2, -1, 2), of((1,)), of((), 1, 1)]
RESHAPES += [of((0, 3), 3, 0), of((3, 4), (4, 3))]


def to_shape(x: np.ndarray, *shape: Any) -> np.ndarray:
    return x.reshape(*shape) if shape else x.reshape(())


VIEWS = [
    shape_row("view", to_shape, *RESHAPES),
    shape_row("reshape", to_shape, *RESHAPES),
    shape_row("view_as", lambda x, y: x.reshape(y.shape), Case(((3, 4), (2, 6)))),
    shape_row("reshape_as", lambda x, y: x.reshape(y.shape), Case(((3, 4), (2, 6)))),
    shape_row(
        "flatten",
        flatten,
        *(of((2, 3, 4)), of((2, 3, 4), 1), of((2, 3, 4), 0, 1), of((2, 3), -1, -1), of(())),
    ),
    shape_row("transpose", np.swapaxes, of((2, 3, 4), 0, 2), of((2, 3, 4), -1, 1)),
    shape_row("t", np.transpose, of((3, 4)), of((3,)), of(())),
    shape_row(
        "permute",
        lambda x, *dims: np.transpose(x, dims),
        *(of((2, 3, 4), 2, 0, 1), of((2, 3, 4), -1, 1, 0), of(())),
    ),
    shape_row(
        "flip",
        lambda x, *dims: np.flip(x, dims),
        of((2, 3, 4), 0, -1),
        of((2, 3), 1),
        of((3, 0), 0),
    ),
    shape_row(
        "expand",
        expand,
        *(of((3, 1), 3, 4), of((3, 1), 2, -1, 4), of((), 2, 2), of((3, 1), 3, 0)),
    ),
    shape_row("expand_as", lambda x, y: np.broadcast_to(x, y.shape), Case(((3, 1), (2, 3, 4)))),
    shape_row(
        "squeeze",
        squeeze,
        *(of((1, 3, 1)), of((1, 3, 1), 0), of((1, 3, 1), 1), of((1, 1)), of((), 0)),
    ),
    shape_row("unsqueeze", np.expand_dims, of((2, 3), 0), of((2, 3), 1), of((2, 3), -1), of((), 0)),
    shape_row(
        "narrow",
        lambda x, dim, start, length: np.take(x, np.arange(start, start + length), axis=dim),
        *(of((5, 4), 0, 1, 3), of((5, 4), 1, 0, 0), of((5, 4), -1, 3, 1)),
    ),
    shape_row(
        "select",
        lambda x, dim, index: np.take(x, index, axis=dim),
        *(of((3, 4), 0, 1), of((3, 4), 1, -1), of((3,), 0, 2)),
    ),
    shape_row("alias", lambda x: x, of((3, 4)), of(())),
    shape_row("detach", lambda x: x, of((3, 4)), of(()), gradient_order=0),
]
COPIES = [
    shape_row("contiguous", lambda x: x, of((3, 4)), of(())),
    shape_row("clone", lambda x: x, of((3, 4)), of(()), of((0, 2))),
    shape_row(
        "cat",
        lambda *arrays: np.concatenate(arrays[:3], axis=arrays[3] if arrays[3:] else 0),
        Case(((2, 3), (1, 3), (4, 3))),
        Case(((2, 3), (2, 0), (2, 2)), (1,)),
        Case(((2, 3), (2, 1), (2, 2)), (-1,)),
    ),
    shape_row(
        "stack",
        lambda *arrays: np.stack(arrays[:3], axis=arrays[3] if arrays[3:] else 0),
        Case(((2, 3),) * 3),
        Case(((2, 3),) * 3, (1,)),
        Case(((2, 3),) * 3, (-1,)),
        Case(((),) * 3),
    ),
]
SHAPES = VIEWS + COPIES

ROWS = [*UNARY, *BINARY, *TERNARY, *REDUCTIONS, *PRODUCTS, *SHAPES]

# Names of the engine's table that make nothing of a tensor's elements alone, and who tests them.
ELSEWHERE = {
    "test_creation.py": "tensor as_tensor zeros ones empty full zeros_like ones_like empty_like "
    "full_like arange eye fill_ zero_",
    "test_random.py": "rand randn rand_like randn_like randint randperm uniform_ normal_ dropout "
    "manual_seed",
    "test_tensor.py": "size stride dim numel element_size storage_offset data_ptr is_contiguous "
    "is_floating_point item tolist copy_ to type_as float double long int byte bool cpu cuda",
    "test_exchange.py": "from_numpy numpy",
    "test_autograd.py": "requires_grad_ backward register_hook",
}
