"""Convolutions of planes and their slopes, by the formula, tap by tap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Moves", "convolved", "drawn", "slope_of_input", "slope_of_weight"]


class Moves(NamedTuple):
    """How windows move, the same along both dims."""

    stride: int = 1
    padding: int = 0
    dilation: int = 1
    groups: int = 1


def drawn(*sizes: int, seed: int = 3) -> np.ndarray:
    """Normal numbers in float64."""
    return np.random.default_rng(seed).standard_normal(sizes)


def _taps(padded: np.ndarray, weight: np.ndarray, moves: Moves) -> Iterator[tuple[Any, ...]]:
    """Each tap's number, and a view of what it meets: [samples, channels, *places]."""
    spans = [moves.dilation * (k - 1) + 1 for k in weight.shape[2:]]
    lengths = [n - span for n, span in zip(padded.shape[2:], spans, strict=True)]
    for y, x in np.ndindex(*weight.shape[2:]):
        first = y * moves.dilation, x * moves.dilation
        met = [
            slice(a, a + length + 1, moves.stride) for a, length in zip(first, lengths, strict=True)
        ]
        yield y, x, padded[:, :, met[0], met[1]]


def _padded(x: np.ndarray, by: int) -> np.ndarray:
    return np.pad(x, ((0, 0), (0, 0), (by, by), (by, by)))


def convolved(x: np.ndarray, weight: np.ndarray, moves: Moves) -> np.ndarray:
    """Of x [n, channels, height, width] and weight [out, channels / groups, taps, taps]."""
    parts = zip(
        np.split(_padded(x, moves.padding), moves.groups, 1),
        np.split(weight, moves.groups),
        strict=True,
    )
    made = [
        sum(np.einsum("ncyx,oc->noyx", met, w[:, :, y, x]) for y, x, met in _taps(part, w, moves))
        for part, w in parts
    ]
    return np.concatenate(made, 1)


def slope_of_input(
    grad: np.ndarray, weight: np.ndarray, sizes: tuple[int, ...], moves: Moves
) -> np.ndarray:
    """For x of `sizes`."""
    padded = _padded(np.zeros(sizes), moves.padding)
    for part, w, g in zip(
        np.split(padded, moves.groups, 1),
        np.split(weight, moves.groups),
        np.split(grad, moves.groups, 1),
        strict=True,
    ):
        for y, x, met in _taps(part, w, moves):
            met += np.einsum("noyx,oc->ncyx", g, w[:, :, y, x])
    high, wide = sizes[2:]
    by = moves.padding
    return padded[:, :, by : by + high, by : by + wide]


def slope_of_weight(
    grad: np.ndarray, x: np.ndarray, sizes: tuple[int, ...], moves: Moves
) -> np.ndarray:
    """For a weight of `sizes`."""
    slope = np.zeros(sizes)
    for part, w, g in zip(
        np.split(_padded(x, moves.padding), moves.groups, 1),
        np.split(slope, moves.groups),
        np.split(grad, moves.groups, 1),
        strict=True,
    ):
        for y, z, met in _taps(part, w, moves):
            w[:, :, y, z] = np.tensordot(g, met, ((0, 2, 3), (0, 2, 3)))
    return slope
