"""Rows of the op table: elements in order, running results, and reductions made of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import garboard as gb
import numpy as np

from tests.python.ops.op_row import (
    FLOATS,
    INTEGERS,
    Case,
    Draw,
    Row,
    boolean,
    index,
    real,
    reals,
    summed,
)

WIDE, FEW = reals(-60, 60), reals(-3, 3)


def row(name: str, reference: Callable[..., Any], cases: list[Case], *draws: Draw, **more: Any):
    return Row(name=name, reference=reference, draws=draws or [WIDE], cases=cases, **more)


def of(shape: tuple[int, ...], *arguments: Any, **named: Any) -> Case:
    return Case((shape,), arguments, named)


def lifted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Take what has no dims as one of one element, and give it back without."""

    def reference(x: np.ndarray, *arguments: Any, **named: Any) -> Any:
        if x.ndim:
            return function(x, *arguments, **named)
        results = function(x.reshape(1), *arguments, **named)
        return tuple(np.reshape(each, ()) for each in results)

    return reference


def order(x: np.ndarray, dim: int, descending: bool) -> np.ndarray:
    """The stable order, NaN last, or first if descending."""
    if not descending:
        return np.argsort(x, dim, kind="stable")
    flipped = np.flip(np.argsort(np.flip(x, dim), dim, kind="stable"), dim)
    return x.shape[dim] - 1 - flipped


@lifted
def sort(x: np.ndarray, dim: int = -1, descending: bool = False) -> Any:
    places = order(x, dim, descending)
    return np.take_along_axis(x, places, dim), places


def argsort(x: np.ndarray, dim: int = -1, descending: bool = False) -> np.ndarray:
    return sort(x, dim, descending)[1]


@lifted
def topk(x: np.ndarray, k: int, dim: int = -1, largest: bool = True) -> Any:
    places = np.take(order(x, dim, largest), range(k), axis=dim)
    return np.take_along_axis(x, places, dim), places


def by_rank(rank: Callable[[int], int]) -> Callable[..., Any]:
    def reference(x: np.ndarray, dim: int = -1, keepdim: bool = False) -> Any:
        size = x.shape[dim] if x.ndim else 1
        both = topk(x, rank(size) + 1, dim, False)
        if x.ndim == 0:
            return both
        last = [np.take(each, [rank(size)], axis=dim) for each in both]
        return tuple(each if keepdim else np.squeeze(each, dim) for each in last)

    return reference


def median(x: np.ndarray, *dim: int, keepdim: bool = False) -> Any:
    if not dim:
        return by_rank(lambda size: (size - 1) // 2)(x.reshape(-1))[0]
    return by_rank(lambda size: (size - 1) // 2)(x, *dim, keepdim)


def kthvalue(x: np.ndarray, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    return by_rank(lambda size: k - 1)(x, dim, keepdim)


@lifted
def mode(x: np.ndarray, dim: int = -1, keepdim: bool = False) -> Any:
    def of_one(row: np.ndarray) -> int:
        values, counts = np.unique(row, return_counts=True)
        return int(np.flatnonzero(row == values[counts.argmax()])[-1])

    places = np.expand_dims(np.apply_along_axis(of_one, dim, x), dim)
    both = np.take_along_axis(x, places, dim), places
    return tuple(each if keepdim or x.ndim == 0 else np.squeeze(each, dim) for each in both)


def running(better: Callable[..., Any]) -> Callable[..., Any]:
    @lifted
    def reference(x: np.ndarray, dim: int) -> Any:
        values = better.accumulate(x, dim)
        steps = np.arange(x.shape[dim]).reshape(
            [-1 if d == dim % x.ndim else 1 for d in range(x.ndim)]
        )
        return values, np.maximum.accumulate(np.where(x == values, steps, 0), dim)

    return reference


def quantiles(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(
        x: np.ndarray, q: Any, dim: Any = None, keepdim: bool = False, interpolation: str = "linear"
    ) -> Any:
        return function(x, np.asarray(q), dim, keepdims=keepdim, method=interpolation)

    return reference


def slices_along(x: np.ndarray, dim: int | None) -> np.ndarray:
    return x.reshape(-1, 1) if dim is None else np.moveaxis(x, dim, 0).reshape(x.shape[dim], -1)


def unique(x: np.ndarray, dim: int | None = None) -> Any:
    return np.unique(x, axis=dim)


def unique_consecutive(x: np.ndarray, dim: int | None = None) -> Any:
    rows = slices_along(x, dim)
    chosen = [i for i in range(len(rows)) if i == 0 or (rows[i] != rows[i - 1]).any()]
    return x.ravel()[chosen] if dim is None else np.take(x, chosen, dim)


def over(function: Callable[..., Any]) -> Callable[..., Any]:
    def reference(x: np.ndarray, dim: Any = None, keepdim: bool = False, **more: Any) -> Any:
        return function(x, dim if x.ndim else None, keepdims=keepdim, **more)

    return reference


def norm(x: np.ndarray, p: float, dim: Any = None, keepdim: bool = False) -> Any:
    size = np.abs(x)
    if np.isinf(p):
        return (np.max if p > 0 else np.min)(size, dim, keepdims=keepdim)
    total = (size != 0 if p == 0 else size**p).sum(dim, keepdims=keepdim)
    return np.asarray(total if p == 0 else total ** (1 / np.longdouble(p)))


def as_int(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's running results of integers and bools in int64."""

    def reference(x: np.ndarray, dim: int) -> np.ndarray:
        wide = x if x.dtype.kind == "f" else x.astype(np.int64)
        return wide if x.ndim == 0 else function(wide, dim)

    return reference


ONE_DIM = [of((3, 4), 1), of((5, 3), 0), of((2, 3, 4), -2), of((), 0)]
KEPT = [*ONE_DIM, of((3, 4), 0, keepdim=True), of((2, 900), 1)]
SORTED = [of((3, 4)), of((5, 3), 0), of((4,), descending=True), of((0, 3), 0), of(())]
SORTED += [of((2, 40), 1, True), of((3000,)), of((2, 1500, 2), 1)]
LONG = [of((3, 2000), 5), of((2000,), 1500)]
DIMS = [of((3, 4)), of((3, 4), 1), of((2, 3, 4), (0, 2)), of((3, 4), 0, True), of(())]
Q = [of((3, 5), 0.3), of((3, 5), 0.5, 1), of((7,), 1.0, 0, True)]
Q += [of((6,), 0.35, interpolation=way) for way in ("lower", "higher", "midpoint", "nearest")]

ORDER = [
    row("sort", sort, SORTED),
    row("argsort", argsort, SORTED, result=index, gradient_order=0),
    row("msort", lambda x: np.sort(x, 0), [of((3, 4)), of((0,))]),
    row(
        "topk",
        topk,
        [of((3, 4), 2), of((5, 3), 2, 0), of((4,), 4, 0, False), of((3,), 0), of((), 1), *LONG],
    ),
    row("kthvalue", kthvalue, [of((3, 4), 2), of((5, 3), 5, 0), of((), 1), of((3, 900), 450)]),
    row("median", median, [of((3, 4)), *KEPT]),
    row("nanmedian", median, [of((3, 4)), *KEPT]),
    row("mode", mode, [of((3, 9)), *KEPT], FEW),
    row("cummax", running(np.maximum), ONE_DIM),
    row("cummin", running(np.minimum), ONE_DIM),
    row("quantile", quantiles(np.quantile), Q, dtypes=FLOATS, terms=6),
    row("nanquantile", quantiles(np.nanquantile), Q, dtypes=FLOATS, terms=6),
    row("unique", unique, [of((30,)), of((0,)), of((40, 2), dim=0)], FEW, gradient_order=0),
    row(
        "unique_consecutive",
        unique_consecutive,
        [of((30,)), of((0,)), of((2, 20), dim=1)],
        reals(0, 1),
        gradient_order=0,
    ),
    row(
        "searchsorted",
        lambda a, v: np.searchsorted(np.sort(a), v),
        [Case(((9,), (3, 4))), Case(((0,), (2,))), Case(((3000,), ()))],
        FEW,
        FEW,
        result=index,
        gradient_order=0,
        op=lambda a, v: gb.searchsorted(gb.msort(a), v),
    ),
    row(
        "bucketize",
        lambda v, a: np.searchsorted(np.sort(a), v),
        [Case(((3, 4), (9,)))],
        FEW,
        FEW,
        result=index,
        gradient_order=0,
        op=lambda v, a: gb.bucketize(v, gb.msort(a)),
    ),
    row(
        "isin",
        np.isin,
        [Case(((3, 4), (5,))), Case(((3,), (0,))), Case(((), (4, 2)))],
        FEW,
        FEW,
        result=boolean,
        gradient_order=0,
    ),
    row(
        "bincount",
        lambda x: np.bincount(x.astype(np.int64)),
        [of((40,)), of((0,))],
        Draw(0, 9),
        dtypes=INTEGERS,
        result=index,
        gradient_order=0,
    ),
    row(
        "histc",
        lambda x, bins, low, high: np.histogram(x, bins, (low, high))[0],
        [of((3, 40), 7, -50, 50), of((0,), 3, 0, 1)],
        dtypes=FLOATS,
        gradient_order=0,
    ),
]
RUNNING = [
    row(
        "cumprod",
        as_int(np.cumprod),
        [*ONE_DIM, of((0, 3), 0)],
        reals(0.5, 1.5),
        result=summed,
        terms=8,
    ),
    row(
        "logcumsumexp",
        lambda x, dim: x if x.ndim == 0 else np.log(np.cumsum(np.exp(x), dim)),
        ONE_DIM,
        FEW,
        result=real,
        terms=8,
    ),
]
REDUCED = [
    row(
        "count_nonzero",
        lambda x, dim=None: np.count_nonzero(x, dim),
        [of((3, 4)), of((3, 4), 1), of((2, 3, 4), (0, 2)), of(())],
        Draw(0, 1),
        result=index,
        gradient_order=0,
    ),
    row("nansum", over(np.nansum), DIMS, result=summed, terms=20),
    row("nanmean", over(np.nanmean), DIMS, dtypes=FLOATS, terms=20),
    row(
        "var_mean",
        over(
            lambda x, dim, keepdims: (
                x.var(dim, ddof=1, keepdims=keepdims) + x.mean(dim, keepdims=keepdims)
            )
        ),
        [case for case in DIMS if case.shapes != ((),)],
        dtypes=FLOATS,
        terms=200,
        op=lambda x, *dims: sum(gb.var_mean(x, *dims[:1], keepdim=len(dims) > 1)),
    ),
    row(
        "std_mean",
        over(
            lambda x, dim, keepdims: (
                x.std(dim, ddof=1, keepdims=keepdims) + x.mean(dim, keepdims=keepdims)
            )
        ),
        [case for case in DIMS if case.shapes != ((),)],
        dtypes=FLOATS,
        terms=50,
        op=lambda x, *dims: sum(gb.std_mean(x, *dims[:1], keepdim=len(dims) > 1)),
    ),
    row(
        "norm",
        norm,
        [of((3, 4), p) for p in (2, 1, 3, float("inf"), -float("inf"))]
        + [of((3, 4), 2, 1), of((2, 3, 4), 1.5, (0, 2), True)],
        dtypes=FLOATS,
        terms=20,
    ),
    row(
        "diff",
        lambda x, n=1, dim=-1: np.diff(x, n, dim),
        [of((3, 4)), of((3, 4), 2, 0), of((1, 2), 3, 0), of((3, 4), 0)],
        terms=2,
    ),
]
ORDERING = ORDER + RUNNING + REDUCED
