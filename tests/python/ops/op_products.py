"""Rows of the op table: products, softmax, losses, norms, convolutions."""

from __future__ import annotations

from functools import partial

import garboard as gb
import numpy as np

from tests.python.ops.op_row import FLOATS, NUMBERS, Case, Draw, Row, named, reals

SMALL, WIDE = reals(-4, 4), reals(-60, 60)


def pairs(*shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> list[Case]:
    return [Case(pair) for pair in shapes]


MATRICES = pairs(((3, 4), (4, 2)), ((1, 5), (5, 1)), ((3, 0), (0, 2)), ((0, 3), (3, 2)))
BATCHES = pairs(((2, 3, 4), (2, 4, 5)), ((1, 3, 4), (1, 4, 1)), ((0, 3, 4), (0, 4, 2)))
BROADCAST = pairs(
    *(((4,), (4,)), ((4,), (4, 3)), ((3, 4), (4,)), ((5, 3, 4), (4,)), ((4,), (5, 4, 3))),
    *(((5, 3, 4), (4, 2)), ((3, 4), (5, 4, 2)), ((2, 1, 3, 4), (5, 4, 2)), ((65, 70), (70, 67))),
)


def scaled(x: np.ndarray, dim: int, is_log: bool) -> np.ndarray:
    dim = dim if x.ndim else None
    shifted = x - np.max(x, axis=dim, keepdims=True)
    total = np.sum(np.exp(shifted), axis=dim, keepdims=True)
    return shifted - np.log(total) if is_log else np.exp(shifted) / total


def cross_entropy(
    logits: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray | None = None,
    reduction: str = "mean",
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    are_logs: bool = False,
) -> np.ndarray:
    rows, targets = np.atleast_2d(logits), np.atleast_1d(target)
    weights = np.ones(rows.shape[1], rows.dtype) if weight is None else weight
    counted = targets != ignore_index
    classes = np.where(counted, targets, 0)
    losses = -rows if are_logs else -scaled(rows, 1, True)
    chosen = losses[np.arange(len(rows)), classes] * weights[classes] * (1 - label_smoothing)
    even = (losses * weights).sum(1) * label_smoothing / rows.shape[1]
    losses = np.where(counted, chosen + even, 0)
    if reduction == "none":
        return losses.reshape(target.shape)
    count = (weights[classes] * counted).sum() if reduction == "mean" else 1
    return losses.sum() / count


def layer_norm(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray, sizes: tuple[int, ...], eps: float = 1e-5
) -> np.ndarray:
    dims = tuple(range(-len(sizes), 0))
    centred = x - x.mean(axis=dims, keepdims=True)
    variance = np.square(centred).mean(axis=dims, keepdims=True)
    return centred / np.sqrt(variance + eps) * weight + bias


def conv1d(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    stride: int = 1,
    padding: int | str = 0,
    dilation: int = 1,
    groups: int = 1,
) -> np.ndarray:
    rows, shares, taps = weight.shape
    around = {"same": dilation * (taps - 1), "valid": 0}.get(padding, 2 * padding)
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(around // 2, around - around // 2)])
    spans = np.lib.stride_tricks.sliding_window_view(padded, dilation * (taps - 1) + 1, axis=-1)
    met = spans[..., ::stride, ::dilation]
    met = met.reshape(*x.shape[:-1][:-1], groups, shares, *met.shape[-2:])
    grouped = weight.reshape(groups, rows // groups, shares, taps)
    out = np.einsum("...gctk,gock->...got", met, grouped)
    return out.reshape(*x.shape[:-2], rows, out.shape[-1]) + bias[:, None]


def mse_loss(x: np.ndarray, target: np.ndarray, reduction: str = "mean") -> np.ndarray:
    losses = np.square(x - target)
    return losses if reduction == "none" else getattr(losses, reduction)()


def slid(x: tuple[int, ...], weight: tuple[int, ...], **options: int | str) -> Case:
    return Case((x, weight, weight[:1]), named=options)


CONVOLUTIONS = [
    slid((2, 2, 5), (3, 2, 3), stride=2, padding=1),
    slid((2, 5), (3, 2, 2)),
    slid((2, 2, 6), (4, 1, 2), padding=2, dilation=2, groups=2),
    slid((1, 2, 6), (2, 2, 4), padding="same"),
    slid((2, 6), (2, 2, 2), padding="valid", stride=3),
    slid((1, 1, 9), (2, 1, 3), stride=4, dilation=2, padding=3),
    slid((1, 1, 9), (1, 1, 4), stride=2, dilation=3, padding=1),
    slid((1, 2, 4), (2, 2, 4)),
    slid((0, 2, 5), (3, 2, 3)),
    slid((2, 0, 5), (3, 0, 3)),
    slid((2, 2, 5), (0, 2, 3)),
    slid((1, 2, 0), (2, 2, 1), padding=2),
    slid((2, 3, 700), (35, 3, 5), padding=2),
    slid((70, 3, 21), (4, 3, 5), stride=3, padding="valid"),
    slid((3, 300, 40), (2, 300, 4), dilation=5, padding="same"),
    slid((2, 6, 400), (1200, 1, 3), groups=6),
]

CLASS = Draw(0, 3, "int64")
REDUCED = [Case(((5, 4), (5,)), named=named(reduction=kind)) for kind in ("mean", "sum", "none")]
ROWWISE = [Case(((3, 4),), (1,)), Case(((2, 3, 4),), (-2,)), Case(((),), (0,))]
ROWWISE += [Case(((0, 3),), (1,)), Case(((4, 700),), (-1,))]

PRODUCTS = [
    Row(name="mm", reference=np.matmul, draws=[SMALL] * 2, cases=MATRICES, dtypes=NUMBERS, terms=9),
    Row(name="bmm", reference=np.matmul, draws=[SMALL] * 2, cases=BATCHES, dtypes=NUMBERS, terms=9),
    Row(
        name="matmul",
        reference=np.matmul,
        draws=[SMALL] * 2,
        cases=BROADCAST + MATRICES + BATCHES,
        dtypes=NUMBERS,
        terms=70,
    ),
    Row(
        name="linear",
        reference=lambda x, weight, bias: x @ weight.T + bias,
        draws=[SMALL] * 3,
        cases=[
            Case(((5, 3), (4, 3), (4,))),
            Case(((3,), (4, 3), (4,))),
            Case(((2, 5, 3), (4, 3), (4,))),
            Case(((0, 3), (4, 3), (4,))),
        ],
        dtypes=NUMBERS,
        terms=9,
    ),
    Row(
        name="softmax",
        reference=lambda x, dim: scaled(x, dim, False),
        draws=[WIDE],
        cases=ROWWISE,
        dtypes=FLOATS,
        terms=90,
        slopes=[SMALL],
    ),
    Row(
        name="log_softmax",
        reference=lambda x, dim: scaled(x, dim, True),
        draws=[WIDE],
        cases=ROWWISE,
        dtypes=FLOATS,
        terms=20,
        slopes=[SMALL],
    ),
    Row(
        name="cross_entropy",
        reference=cross_entropy,
        draws=[SMALL, CLASS],
        cases=[
            *REDUCED,
            Case(((4,), ())),
            Case(((64, 4), (64,)), named=named(ignore_index=2)),
            *(Case(((5, 4), (5,)), named=named(label_smoothing=e)) for e in (0.2, 1.0)),
            Case(((5, 4), (5,)), named=named(label_smoothing=0.3, reduction="none")),
        ],
        dtypes=FLOATS,
        terms=90,
    ),
    Row(
        name="nll_loss",
        op=gb.nn.functional.nll_loss,
        reference=partial(cross_entropy, are_logs=True),
        draws=[SMALL, CLASS],
        cases=[*REDUCED, Case(((4,), ())), Case(((64, 4), (64,)), named=named(ignore_index=2))],
        dtypes=FLOATS,
        terms=20,
    ),
    Row(
        name="layer_norm",
        op=lambda x, w, b, sizes, eps=1e-5: gb.layer_norm(x, sizes, w, b, eps),
        reference=layer_norm,
        draws=[SMALL, SMALL, SMALL],
        cases=[
            Case(((3, 4), (4,), (4,)), ((4,),)),
            Case(((2, 3, 4), (3, 4), (3, 4)), ((3, 4),), named(eps=0.5)),
            Case(((4,), (4,), (4,)), ((4,),)),
            Case(((0, 4), (4,), (4,)), ((4,),)),
            Case(((70, 1100), (1100,), (1100,)), ((1100,),)),
        ],
        dtypes=FLOATS,
        terms=40,
    ),
    Row(
        name="conv1d",
        reference=conv1d,
        draws=[SMALL, SMALL, SMALL],
        cases=CONVOLUTIONS,
        dtypes=NUMBERS,
        terms=120,  # 1200 products, one after the other where there is no BLAS
    ),
    Row(
        name="mse_loss",
        reference=mse_loss,
        draws=[SMALL, SMALL],
        cases=[Case(((5, 4), (5, 4)), named=case.named) for case in REDUCED],
        dtypes=FLOATS,
        terms=90,
    ),
]
