"""Rows of the op table: convolutions, pools, samplings, attention."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import garboard as gb
import numpy as np

from tests.python.ops.op_row import FLOATS, NUMBERS, Case, Row, reals

SMALL = reals(-4, 4)
functional = gb.nn.functional


def each(given: Any, dims: int) -> tuple[int, ...]:
    return tuple(given) if isinstance(given, tuple) else (given,) * dims


def convolution(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> np.ndarray:
    """By the formula: for each tap, the places it meets times its weights."""
    dims = weight.ndim - 2
    taps = weight.shape[2:]
    stride, dilation = each(stride, dims), each(dilation, dims)
    spans = [d * (k - 1) for d, k in zip(dilation, taps, strict=True)]
    around = [(s // 2, s - s // 2) for s in spans] if padding == "same" else None
    sides = [(p, p) for p in each(0 if padding == "valid" else padding, dims)]
    padded = np.pad(x, [(0, 0)] * (x.ndim - dims) + (around or sides))
    sizes = padded.shape[-dims:]
    places = [(n - s - 1) // t + 1 for n, s, t in zip(sizes, spans, stride, strict=True)]
    channels = x.shape[-dims - 1]
    before = x.shape[: -dims - 1]
    out = np.zeros((*before, groups, weight.shape[0] // groups, *places), x.dtype)
    grouped = weight.reshape(groups, -1, *weight.shape[1:])
    for tap in product(*map(range, taps)):
        met = padded[(..., *window(tap, dilation, stride, places))]
        met = met.reshape(*before, groups, channels // groups, *places)
        factors = grouped[(..., *tap)]
        letters = "xyz"[:dims]
        out += np.einsum(f"...gc{letters},goc->...go{letters}", met, factors)
    return out.reshape(*before, weight.shape[0], *places) + column(bias, dims)


def window(tap: Any, dilation: Any, stride: Any, places: Any) -> Iterator[slice]:
    for k, d, s, n in zip(tap, dilation, stride, places, strict=True):
        yield slice(k * d, k * d + s * (n - 1) + 1, s)


def column(bias: np.ndarray, dims: int) -> np.ndarray:
    return bias.reshape(-1, *(1,) * dims)


def transposed(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> np.ndarray:
    dims = weight.ndim - 2
    taps, places = weight.shape[2:], x.shape[-dims:]
    numbers = (each(one, dims) for one in (stride, padding, output_padding, dilation))
    stride, padding, added, dilation = numbers
    sizes = [
        (n - 1) * s + d * (k - 1) + 1 + a
        for n, s, d, k, a in zip(places, stride, dilation, taps, added, strict=True)
    ]
    before = x.shape[: -dims - 1]
    shares = weight.shape[1]
    out = np.zeros((*before, groups, shares, *sizes), x.dtype)
    grouped = weight.reshape(groups, -1, *weight.shape[1:])
    spread = x.reshape(*before, groups, x.shape[-dims - 1] // groups, *places)
    letters = "xyz"[:dims]
    for tap in product(*map(range, taps)):
        given = np.einsum(f"...gc{letters},gco->...go{letters}", spread, grouped[(..., *tap)])
        out[(..., *window(tap, dilation, stride, places))] += given
    kept = tuple(slice(p, n - p) for p, n in zip(padding, sizes, strict=True))
    return out.reshape(*before, groups * shares, *sizes)[(..., *kept)] + column(bias, dims)


def slid(x: tuple[int, ...], weight: tuple[int, ...], **options: Any) -> Case:
    return Case((x, weight, weight[:1]), named=options)


def spread(x: tuple[int, ...], weight: tuple[int, ...], **options: Any) -> Case:
    return Case((x, weight, (weight[1] * options.get("groups", 1),)), named=options)


IMAGES = [
    slid((2, 2, 5, 6), (3, 2, 3, 2), stride=(2, 1), padding=(1, 0)),
    slid((2, 5, 4), (3, 2, 2, 2)),
    slid((2, 4, 6, 5), (4, 2, 2, 3), padding=(2, 1), dilation=(2, 1), groups=2),
    slid((1, 2, 5, 6), (2, 2, 4, 3), padding="same"),
    slid((1, 3, 7, 18), (6, 1, 3, 3), padding=1, groups=3, stride=(1, 2)),
    slid((1, 2, 9, 40), (2, 1, 3, 5), groups=2),
    slid((0, 2, 5, 4), (3, 2, 3, 3)),
    slid((1, 2, 0, 4), (2, 2, 1, 1), padding=2),
    slid((2, 5, 4, 8), (20, 5, 1, 1)),
    slid((3, 17, 12, 12), (33, 17, 3, 3), padding=1),
    slid((2, 2, 6, 14), (3, 2, 3, 7), stride=(3, 7)),  # patches
    slid((2, 4, 8), (3, 2, 2, 4), stride=(2, 4)),
]
VOLUMES = [
    slid((1, 2, 2, 2, 3), (1, 2, 2, 1, 2)),
    slid((2, 2, 3, 4, 5), (3, 2, 2, 3, 2), stride=(1, 2, 1), padding=(1, 0, 2)),
    slid((2, 4, 3, 3), (4, 1, 2, 2, 2), groups=2, dilation=(1, 2, 1)),
    slid((1, 2, 4, 2, 7), (2, 2, 2, 1, 7), stride=(2, 1, 7)),
]
SPREAD_LINES = [
    spread((2, 3, 5), (3, 2, 3), stride=2, padding=1, output_padding=1),
    spread((4, 4), (4, 3, 2), groups=2, dilation=3),
    spread((2, 3, 5), (3, 2, 4), stride=4),
]
SPREAD_IMAGES = [
    spread((2, 3, 4, 3), (3, 2, 3, 2), stride=(2, 3), padding=(1, 0), output_padding=(1, 2)),
    spread((2, 5, 4), (2, 3, 2, 2), stride=2),
    spread((1, 4, 3, 4), (4, 1, 3, 3), groups=4, padding=1),
    spread((0, 2, 3, 3), (2, 3, 2, 2)),
    spread((1, 2, 1, 1), (2, 3, 2, 2), padding=1),
]
SPREAD_VOLUMES = [spread((1, 2, 2, 3, 2), (2, 2, 2, 1, 3), stride=(2, 1, 3), dilation=(1, 1, 2))]


def pooled(
    x: np.ndarray, kernel: Any, reduce: Any, stride: Any = None, padding: Any = 0, around: Any = 0
) -> np.ndarray:
    """Of the last two dims."""
    taps = each(kernel, 2)
    stride = taps if stride is None else each(stride, 2)
    sides = [(p, p) for p in each(padding, 2)]
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + sides, constant_values=around)
    met = np.lib.stride_tricks.sliding_window_view(padded, taps, axis=(-2, -1))
    return reduce(met[..., :: stride[0], :: stride[1], :, :], axis=(-2, -1))


def least(x: np.ndarray) -> Any:
    """Of what its dtype holds."""
    return -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min


def mean_of(x: np.ndarray) -> Any:
    """Of integers cut off towards 0."""
    if x.dtype.kind == "f":
        return np.mean
    return lambda given, axis: np.trunc(np.mean(given, axis)).astype(x.dtype)


def shared(x: np.ndarray, sizes: Any, reduce: Any) -> np.ndarray:
    """The shares of the last two dims."""
    high, wide = each(sizes, 2)
    out = np.empty((*x.shape[:-2], high, wide), x.dtype)
    for i, j in product(range(high), range(wide)):
        rows = slice(i * x.shape[-2] // high, -(-(i + 1) * x.shape[-2] // high))
        columns = slice(j * x.shape[-1] // wide, -(-(j + 1) * x.shape[-1] // wide))
        out[..., i, j] = reduce(x[..., rows, columns], axis=(-2, -1))
    return out


def sampled(x: np.ndarray, size: Any, mode: str, align_corners: bool = False) -> np.ndarray:
    """Dim by dim, from the matrix of each."""
    dims = range(2, x.ndim)
    for d, new in zip(dims, each(size, len(dims)), strict=True):
        old = x.shape[d]
        i = np.arange(new, dtype=np.longdouble)
        if mode == "nearest":
            at = np.minimum((i * old / new).astype(int), old - 1)
            x = np.take(x, at, axis=d)
            continue
        from_ = i * (old - 1) / max(new - 1, 1) if align_corners else (i + 0.5) * old / new - 0.5
        if mode != "bicubic":
            from_ = np.maximum(from_, 0)
        first = np.floor(from_).astype(int)
        rest = from_ - first
        matrix = np.zeros((new, old), np.longdouble)
        factors = [1 - rest, rest]
        offsets = [0, 1]
        if mode == "bicubic":
            offsets = [-1, 0, 1, 2]
            factors = [cubic(np.abs(rest - k)) for k in offsets]
        for k, factor in zip(offsets, factors, strict=True):
            np.add.at(matrix, (np.arange(new), np.clip(first + k, 0, old - 1)), factor)
        x = np.moveaxis(np.tensordot(matrix, x, axes=(1, d)), 0, d)
    return x


def cubic(x: np.ndarray) -> np.ndarray:
    a = np.longdouble(-0.75)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    return np.where(x <= 1, near, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a)


def attended(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, is_causal: bool = False, scale: float | None = None
) -> np.ndarray:
    scores = q @ np.swapaxes(k, -1, -2) * (scale or 1 / np.sqrt(q.shape[-1]))
    if is_causal:
        seen = np.tril(np.ones(scores.shape[-2:], bool))
        scores = np.where(seen, scores, -np.inf)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True) @ v


PADS: dict[str, str] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def padded(x: np.ndarray, pads: tuple[int, ...], mode: str = "constant", value: Any = 0) -> Any:
    pairs = [pads[i : i + 2] for i in range(0, len(pads), 2)]
    pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1]
    more = [(max(a, 0), max(b, 0)) for a, b in pairs]
    how: Any = {"mode": PADS[mode]} if mode in PADS else {"constant_values": value}
    x = np.pad(x, more, **how)
    kept = (slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pairs, x.shape, strict=True))
    return x[tuple(kept)]


def row(name: str, reference: Any, cases: list[Case], inputs: int = 3, **more: Any) -> Row:
    settings: dict[str, Any] = {"dtypes": FLOATS, "terms": 60} | more
    return Row(
        name=name,
        reference=reference,
        draws=[SMALL] * inputs,
        cases=cases,
        **{"op": getattr(functional, name)} | settings,
    )


WHOLE = (*FLOATS, "int64")
HEADS = [
    Case(((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2))),
    Case(((5, 4), (5, 4), (5, 3)), named={"is_causal": True}),
    Case(((3, 1, 4), (3, 7, 4), (3, 7, 4)), named={"scale": 0.3}),
    Case(((2, 140, 3), (1, 300, 3), (2, 300, 2)), named={"is_causal": True}),
]
WINDOWS = [
    row("conv2d", convolution, IMAGES, dtypes=NUMBERS),
    row("conv3d", convolution, VOLUMES, dtypes=NUMBERS),
    row("conv_transpose1d", transposed, SPREAD_LINES, dtypes=NUMBERS),
    row("conv_transpose2d", transposed, SPREAD_IMAGES, dtypes=NUMBERS),
    row("conv_transpose3d", transposed, SPREAD_VOLUMES, dtypes=NUMBERS),
    row(
        "max_pool2d",
        lambda x, kernel, **more: pooled(x, kernel, np.max, around=least(x), **more),
        [
            Case(((1, 4, 5),), (2,), {"padding": (0, 1)}),
            Case(((2, 2, 5, 6),), (2,)),
            Case(((2, 5, 7),), ((3, 2),), {"stride": (1, 2), "padding": (1, 0)}),
            Case(((0, 2, 4, 4),), (2,)),
        ],
        1,
        dtypes=NUMBERS,
    ),
    row(
        "avg_pool2d",
        lambda x, kernel, **more: pooled(x, kernel, mean_of(x), **more),
        [
            Case(((1, 4, 5),), (2,), {"padding": (0, 1)}),
            Case(((2, 2, 5, 6),), (2,)),
            Case(((2, 5, 7),), ((3, 2),), {"stride": (1, 2), "padding": (1, 0)}),
        ],
        1,
        dtypes=WHOLE,
    ),
    row(
        "adaptive_avg_pool2d",
        lambda x, sizes: shared(x, sizes, np.mean),
        [Case(((2, 2, 5, 7),), ((2, 3),)), Case(((2, 4, 3),), (6,))],
        1,
    ),
    row(
        "adaptive_max_pool2d",
        lambda x, sizes: shared(x, sizes, np.max),
        [Case(((1, 5, 4),), ((2, 3),)), Case(((2, 2, 5, 7),), ((2, 3),))],
        1,
    ),
    row(
        "interpolate",
        sampled,
        [
            Case(((1, 2, 5),), named={"size": 3, "mode": "linear"}),
        ]
        + [
            Case(((1, 2, 3, 4),), named={"size": size, "mode": mode, **more})
            for size, mode, more in [
                ((5, 2), "nearest", {}),
                (6, "bilinear", {}),
                ((2, 9), "bilinear", {"align_corners": True}),
                ((7, 3), "bicubic", {}),
                ((2, 5), "bicubic", {"align_corners": True}),
            ]
        ],
        1,
        terms=4e3,  # positions are counted in float32, as PyTorch counts them
    ),
    row(
        "pad",
        padded,
        [
            Case(((2, 3),), ((1, 2),)),
            Case(((2, 3, 4),), ((-1, 2, 0, -1),), {"value": 1.5}),
            Case(((2, 2, 4),), ((2, 1),), {"mode": "reflect"}),
            Case(((1, 2, 3, 4),), ((1, 2, -1, 1),), {"mode": "replicate"}),
            Case(((2, 3, 2),), ((2, 0),), {"mode": "circular"}),
            Case(((0, 3),), ((1, 1),)),
        ],
        1,
        op=lambda x, pads, mode="constant", **more: gb.pad(x, pads, mode, **more),
        dtypes=("float32", "float64", "int64", "int32", "uint8", "bool"),
        terms=0,
    ),
    row("scaled_dot_product_attention", attended, HEADS, terms=300),
]
