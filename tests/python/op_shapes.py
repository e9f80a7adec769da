"""Rows of the op table: views, and tensors joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.python.op_row import Case, Row, reals

WIDE = reals(-60, 60)


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
