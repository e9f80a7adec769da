"""Rows of the op table: products of vectors, sums with products, covariances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import garboard as gb
import numpy as np

from tests.python.ops.op_row import ALL, NUMBERS, Case, Row, named, real, reals, summed

SMALL = reals(-4, 4)


def pairs(*shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> list[Case]:
    return [Case(pair) for pair in shapes]


VECTORS = pairs(((5,), (5,)), ((1,), (1,)), ((0,), (0,)))
CROSSED = [
    *pairs(((3, 4), (3, 4)), ((4, 3), (1, 3))),
    Case(((3, 3), (3, 3)), named=named(dim=-1)),
]


def crossed(a: np.ndarray, b: np.ndarray, dim: int | None = None) -> np.ndarray:
    a, b = np.broadcast_arrays(a, b)
    return np.cross(a, b, axis=a.shape.index(3) if dim is None else dim)


def added(product: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def reference(x: np.ndarray, a: np.ndarray, b: np.ndarray, beta=1, alpha=1) -> np.ndarray:
        dtype = x.dtype
        return np.asarray((x * beta if beta else 0) + product(a, b) * alpha).astype(dtype)

    return reference


def with_product(
    name: str, product: Callable[..., Any], input: tuple[int, ...], *factors: tuple[int, ...]
) -> Row:
    """Make a row of what adds a product to its first input."""
    cases = [
        Case((input, *factors)),
        Case((input, *factors), named=named(beta=2, alpha=3)),
        Case((input, *factors), named=named(beta=0)),
        Case(((1,) * len(input), *factors), named=named(alpha=2)),
    ]
    return Row(
        name=name,
        reference=added(product),
        draws=[SMALL] * 3,
        cases=cases,
        dtypes=NUMBERS,
        terms=80,
        takes_out=False,
    )


VECTOR_ROWS = [
    Row(name="dot", reference=np.dot, draws=[SMALL] * 2, cases=VECTORS, dtypes=NUMBERS, terms=30),
    Row(name="vdot", reference=np.dot, draws=[SMALL] * 2, cases=VECTORS, dtypes=NUMBERS, terms=30),
    Row(
        name="inner",
        reference=np.inner,
        draws=[SMALL] * 2,
        cases=pairs(((2, 3, 5), (4, 5)), ((5,), (5,)), ((), (3,)), ((2, 0), (3, 0))),
        dtypes=NUMBERS,
        terms=30,
    ),
    Row(
        name="outer",
        reference=np.outer,
        draws=[SMALL] * 2,
        cases=pairs(((3,), (4,)), ((0,), (2,))),
        ulps=1,
    ),
    Row(
        name="mv",
        reference=np.matmul,
        draws=[SMALL] * 2,
        cases=pairs(((3, 4), (4,)), ((2, 0), (0,))),
        dtypes=NUMBERS,
        terms=30,
    ),
    Row(
        name="trace",
        reference=np.trace,
        draws=[SMALL],
        cases=[Case(((3, 4),)), Case(((4, 4),)), Case(((0, 2),))],
        result=summed,
        terms=10,
    ),
    Row(
        name="kron",
        reference=np.kron,
        draws=[SMALL] * 2,
        cases=pairs(((2, 3), (4, 2)), ((2,), (3, 2, 2)), ((), (3,)), ((0, 2), (2, 2))),
        ulps=1,
    ),
    Row(
        name="cross",
        reference=crossed,
        draws=[SMALL] * 2,
        cases=CROSSED,
        dtypes=NUMBERS,
        terms=4,
    ),
    with_product("addmm", np.matmul, (2, 5), (2, 3), (3, 5)),
    with_product("addmv", np.matmul, (2,), (2, 3), (3,)),
    replace(with_product("addr", np.outer, (2, 3), (2,), (3,)), dtypes=ALL),
    with_product("baddbmm", np.matmul, (2, 2, 3), (2, 2, 2), (2, 2, 3)),
    with_product("addbmm", lambda a, b: (a @ b).sum(0), (2, 3), (2, 2, 2), (2, 2, 3)),
    Row(
        name="cov",
        reference=lambda x, correction=1: np.cov(x, ddof=correction),
        draws=[SMALL],
        cases=[
            Case(((3, 6),)),
            Case(((6,),)),
            Case(((1, 6),)),
            Case(((2, 4),), named=named(correction=0)),
        ],
        dtypes=NUMBERS,
        result=real,
        terms=60,
    ),
    Row(
        name="corrcoef",
        reference=np.corrcoef,
        draws=[SMALL],
        cases=[Case(((3, 6),)), Case(((2, 9),))],
        dtypes=NUMBERS,
        result=real,
        terms=60,
    ),
    Row(
        name="tensordot",
        op=gb.tensordot,
        reference=lambda a, b, dims=2: np.tensordot(a, b, dims),
        draws=[SMALL] * 2,
        cases=[
            Case(((2, 3, 2), (3, 2, 2))),
            Case(((2, 3), (4,)), named=named(dims=0)),
            Case(((2, 3, 4), (4, 5, 2)), named=named(dims=([0, -1], [2, 0]))),
        ],
        dtypes=NUMBERS,
        terms=60,
    ),
]
