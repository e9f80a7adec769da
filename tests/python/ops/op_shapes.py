"""Rows of the op table: views, and tensors joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tests.python.ops.op_row import Case, Row, reals

WIDE = reals(-60, 60)


def shape_row(name: str, reference: Callable[..., Any], *cases: Case, **more: Any) -> Row:
    draws = [WIDE] * max(len(case.shapes) for case in cases)
    return Row(name=name, reference=reference, draws=draws, cases=cases, **more)


def of(shape: tuple[int, ...], *arguments: Any, **named_arguments: Any) -> Case:
    return Case((shape,), arguments, named_arguments)


def squeeze(x: np.ndarray, dim: Any = None) -> np.ndarray:
    dims = [dim] if isinstance(dim, int) else dim
    if dims is None:
        return np.squeeze(x)
    return np.squeeze(x, tuple(d for d in dims if x.ndim and x.shape[d] == 1))


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
        of((1, 3, 1, 1), (0, -1)),
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
        takes_list=True,
    ),
    shape_row(
        "stack",
        lambda *arrays: np.stack(arrays[:3], axis=arrays[3] if arrays[3:] else 0),
        Case(((2, 3),) * 3),
        Case(((2, 3),) * 3, (1,)),
        Case(((2, 3),) * 3, (-1,)),
        Case(((),) * 3),
        takes_list=True,
    ),
]


def unfold(x: np.ndarray, dim: int, size: int, step: int) -> np.ndarray:
    if x.ndim == 0:
        return x.reshape(1)[:size]
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=dim)
    return windows[(slice(None),) * (dim % x.ndim) + (slice(None, None, step),)]


def as_strided(x: np.ndarray, size: Any, stride: Any, offset: int = 0) -> np.ndarray:
    places = sum(np.ogrid[tuple(map(slice, size))][i] * stride[i] for i in range(len(size)))
    return np.ravel(x)[places + offset]


def diag_embed(x: np.ndarray, offset: int = 0, dim1: int = -2, dim2: int = -1) -> np.ndarray:
    side = x.shape[-1] + abs(offset)
    matrices = np.zeros((*x.shape[:-1], side, side), x.dtype)
    rows = np.arange(x.shape[-1]) + max(-offset, 0)
    matrices[..., rows, rows + offset] = x
    return np.moveaxis(matrices, (-2, -1), (dim1, dim2))


def diag(x: np.ndarray, offset: int = 0) -> np.ndarray:
    return diag_embed(x, offset) if x.ndim == 1 else np.diagonal(x, offset)


def block_diag(*blocks: np.ndarray) -> np.ndarray:
    blocks = tuple(np.atleast_2d(block) for block in blocks)
    rows = [
        np.hstack(
            [b if i == k else np.zeros((b.shape[0], c.shape[1])) for k, c in enumerate(blocks)]
        )
        for i, b in enumerate(blocks)
    ]
    return np.vstack(rows).astype(blocks[0].dtype)


def rolled(x: np.ndarray, shifts: Any, dims: Any = None) -> np.ndarray:
    return np.roll(x, shifts, dims)


def pieces(cut: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given, **more: tuple(cut(*given, **more))


def split(x: np.ndarray, sections: Any, dim: int = 0) -> list[np.ndarray]:
    if isinstance(sections, int):
        return np.split(x, np.arange(sections, x.shape[dim], sections), dim)
    return np.split(x, np.cumsum(sections)[:-1], dim)


def chunk(x: np.ndarray, count: int, dim: int = 0) -> list[np.ndarray]:
    return split(x, -(-x.shape[dim] // count), dim)


PLACES = [of((5, 3), [1, -2]), of((5, 3), (0, 4, 2), 0), of((2, 5), [2], 1), of((0, 2), 3)]
SPLIT_VIEWS = [
    shape_row(
        "split",
        pieces(split),
        *(of((5, 3), 2), of((5, 3), [1, 0, 4]), of((2, 5), 3, -1), of((2, 5), (2, 3), 1)),
    ),
    shape_row("split_with_sizes", pieces(split), of((5, 3), [1, 4]), of((2, 5), (2, 3), -1)),
    shape_row("chunk", pieces(chunk), of((5, 3), 2), of((6, 2), 4), of((2, 5), 9, 1)),
    shape_row("tensor_split", pieces(np.array_split), of((5, 3), 2), of((2, 5), 3, 1), *PLACES),
    shape_row("hsplit", pieces(np.hsplit), of((2, 4), 2), of((4,), [1, 3]), of((2, 4), [1])),
    shape_row("vsplit", pieces(np.vsplit), of((4, 2), 2), of((4, 2), (1,))),
    shape_row("dsplit", pieces(np.dsplit), of((1, 2, 4), 2), of((1, 2, 4), [3])),
    shape_row(
        "unbind",
        lambda x, dim=0: tuple(np.moveaxis(x, dim, 0)),
        *(of((2, 3)), of((2, 3), 1), of((2, 3), -1), of((3,))),
    ),
    shape_row("atleast_1d", np.atleast_1d, of(()), of((3,)), Case(((), (2,)))),
    shape_row("atleast_2d", np.atleast_2d, of(()), of((3,)), of((2, 3, 4)), Case(((), (2,)))),
    shape_row("atleast_3d", np.atleast_3d, of(()), of((3,)), of((2, 3)), Case(((), (2,)))),
    shape_row(
        "broadcast_tensors", np.broadcast_arrays, Case(((3, 1), (2, 1, 4))), Case(((), (2,)))
    ),
    shape_row(
        "meshgrid",
        pieces(lambda *x, indexing="ij": np.meshgrid(*x, indexing=indexing)),
        *(Case(((2,), (3,))), Case(((2,), (3,), ()), named={"indexing": "xy"})),
    ),
]
DIM_VIEWS = [
    shape_row("broadcast_to", np.broadcast_to, of((3, 1), (2, 3, 4)), of((), (2,)), of((3,), 3)),
    shape_row("swapaxes", np.swapaxes, of((2, 3, 4), 0, -1), of((2, 3), 1, 1)),
    shape_row("movedim", np.moveaxis, of((2, 3, 4), 0, -1), of((2, 3, 4), (0, 2), (1, 0))),
    shape_row(
        "unflatten",
        lambda x, dim, sizes: x.reshape((*x.shape[: dim % x.ndim], *sizes, *x.shape[dim:][1:])),
        *(of((2, 6), 1, (3, -1)), of((6, 2), -2, [2, 3]), of((0, 2), 0, (0, 5))),
    ),
    shape_row("fliplr", np.fliplr, of((2, 3)), of((2, 3, 2))),
    shape_row("flipud", np.flipud, of((2, 3)), of((3,))),
    shape_row(
        "rot90",
        np.rot90,
        *(
            of((2, 3)),
            of((2, 3), 2),
            of((2, 3, 2), 3, (0, 2)),
            of((2, 3), -5, (1, 0)),
            of((2, 3), 0),
        ),
    ),
    shape_row("ravel", np.ravel, of((2, 3)), of(()), of((0, 2))),
    shape_row("adjoint", lambda x: np.swapaxes(x, -2, -1), of((2, 3)), of((4, 2, 3))),
]
STRIDED_VIEWS = [
    shape_row(
        "as_strided",
        as_strided,
        *(of((3, 4), (2, 2), (1, 4), 3), of((5,), (3, 3), (1, 1)), of((6,), (2, 3, 2), (0, 2, 1))),
    ),
    shape_row(
        "unfold",
        unfold,
        *(
            of((7,), 0, 3, 2),
            of((3, 4), -1, 2, 1),
            of((5, 2), 0, 4, 1),
            of((4,), 0, 1, 3),
            of((), 0, 1, 1),
        ),
    ),
    shape_row(
        "diagonal",
        np.diagonal,
        *(of((3, 4)), of((3, 4), 2), of((4, 3), -1), of((2, 3, 4), 1, 2, 0), of((3, 4), -5)),
    ),
]
MATRICES = [
    shape_row("diag_embed", diag_embed, of((2, 3)), of((3,), 1), of((2, 3), -1, 0, 2)),
    shape_row("diag", diag, of((3,)), of((3,), -2), of((3, 4), 1)),
    shape_row("diagflat", np.diagflat, of((2, 2)), of((2,), 1), of(())),
    shape_row("tril", np.tril, of((3, 4)), of((4, 3), -1), of((2, 3, 3), 1), of((3, 0), 2)),
    shape_row("triu", np.triu, of((3, 4)), of((4, 3), -1), of((2, 3, 3), 1), of((2, 3), 99)),
]
JOINS = [
    shape_row("hstack", lambda *x: np.hstack(x), Case(((2, 3), (2, 1))), Case(((), (2,)))),
    shape_row("vstack", lambda *x: np.vstack(x), Case(((2, 3), (3,))), Case(((), ()))),
    shape_row("dstack", lambda *x: np.dstack(x), Case(((2, 3), (2, 3, 2))), Case(((2,), (2,)))),
    shape_row("column_stack", lambda *x: np.column_stack(x), Case(((2,), (2, 3))), Case(((), ()))),
]
JOINS = [replace(row, takes_list=True) for row in JOINS]
REPEATS = [
    shape_row(
        "block_diag",
        block_diag,
        *(Case(((2, 3), (1, 2))), Case(((2,), ())), Case(((0, 2), (2, 1), (1, 0)))),
    ),
    shape_row(
        "cartesian_prod",
        lambda *x: np.stack([grid.ravel() for grid in np.meshgrid(*x, indexing="ij")], -1),
        *(Case(((2,), (3,))), Case(((2,), (1,), (3,)))),
    ),
    shape_row(
        "repeat",
        lambda x, *counts: np.tile(x, counts),
        *(of((2, 3), 2, 2), of((3,), 2, 1), of((1, 2), 3, 1), of((2, 3), 1, 1), of((2,), 0)),
        of((2, 1, 1, 2, 1, 2), 2, 1, 2, 2, 1, 1, 2, 2),
    ),
    shape_row("tile", np.tile, of((2, 3), 2), of((2, 3), (2, 1)), of((), 3), of((2,), (2, 1, 2))),
    shape_row(
        "repeat_interleave",
        np.repeat,
        *(of((2, 3), 2), of((2, 3), 2, 1), of((2, 3), 0, 0), of((2, 3), 1, -1), of((), 3)),
    ),
    shape_row(
        "roll",
        rolled,
        *(
            of((5,), 2),
            of((3, 4), -1),
            of((3, 4), 5, 1),
            of((3, 4), (1, -2), (0, 1)),
            of((2, 3, 4), (1, 3, 2), (0, 1, 2)),
            of((3, 4), (2, 2, 1), (0, 0, 1)),
            of((0,), 1, 0),
        ),
    ),
]
SHAPES = VIEWS + SPLIT_VIEWS + DIM_VIEWS + STRIDED_VIEWS + COPIES + MATRICES + JOINS + REPEATS
