"""Rows of the op table: elements found by index, or by a mask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import garboard as gb
import numpy as np

from tests.python.ops.op_row import CONDITION, NUMBERS, Case, Draw, Row, index, reals

WIDE, NEAR = reals(-60, 60), reals(-4, 4)


@dataclass(frozen=True)
class Shuffled(Draw):
    """Numbers from 0 on, none twice along the first dim, so that no write meets another."""

    def array(self, rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        rows = np.broadcast_to(np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1)), shape)
        return rng.permuted(rows, axis=0) if shape[0] else rows.astype(np.int64)


THREE, FOUR = Draw(0, 2, "int64"), Draw(-4, 3, "int64")  # numbers below three; from either end
SHUFFLED = Shuffled(0, 0)


def row(name: str, reference: Callable[..., Any], draws: list[Draw], *cases: Case, **more: Any):
    return Row(name=name, reference=reference, draws=draws, cases=cases, **more)


def along(x: np.ndarray, dim: int, numbers: np.ndarray) -> tuple[np.ndarray, ...]:
    """The full index of the elements that `numbers` name along `dim`."""
    places = list(np.indices(numbers.shape))
    places[dim] = numbers
    return tuple(places)


def gather(x: np.ndarray, numbers: np.ndarray, dim: int) -> np.ndarray:
    return x[along(x, dim, numbers)]


def scattering(meet: Callable[..., Any]) -> Callable[..., np.ndarray]:
    def reference(x: np.ndarray, numbers: np.ndarray, source: np.ndarray, dim: int) -> np.ndarray:
        out = x.copy()
        part = source[tuple(slice(size) for size in numbers.shape)]
        meet(out, along(x, dim, numbers), part)
        return out

    return reference


def write(out: np.ndarray, key: Any, values: np.ndarray) -> None:
    out[key] = values


def reduced(
    x: np.ndarray,
    numbers: np.ndarray,
    source: np.ndarray,
    dim: int,
    reduce: str,
    include_self: bool = True,
) -> np.ndarray:
    out, count = x.copy(), np.zeros(x.shape, np.int64)
    for place in np.ndindex(numbers.shape):
        to = list(place)
        to[dim] = numbers[place]
        key, value = tuple(to), source[place]
        first = not include_self and count[key] == 0
        both = np.array([value] if first else [out[key], value])
        both = both if both.dtype.kind in "fb" else both.astype(x.dtype)
        ways: dict[str, Any] = {"sum": np.add, "mean": np.add, "prod": np.multiply}
        ways |= {"amax": np.maximum, "amin": np.minimum}
        out[key] = ways[reduce].reduce(both, dtype=x.dtype)
        count[key] += 1
    if reduce != "mean":
        return out
    divisor = np.maximum(count + include_self, 1)
    return out / divisor if x.dtype.kind == "f" else out // divisor.astype(x.dtype)


def slices(x: np.ndarray, dim: int, numbers: np.ndarray) -> tuple[Any, ...]:
    return (*[slice(None)] * (dim % x.ndim), numbers)


def sliced(meet: Callable[..., Any]) -> Callable[..., np.ndarray]:
    def reference(x: np.ndarray, numbers: np.ndarray, source: Any, dim: int) -> np.ndarray:
        out = x.copy()
        meet(out, slices(x, dim, numbers), source)
        return out

    return reference


def masked_scatter(x: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    out, wide = x.copy(), np.broadcast_to(mask, x.shape)
    out[wide] = source.ravel()[: wide.sum()]
    return out


def of(name: str, places: int = 2) -> Callable[..., Any]:
    """Call the op with its tensors first and `dim` second; what is behind them follows."""

    def call(x: gb.Tensor, *rest: Any, **named: Any) -> Any:
        tensors, dim, others = rest[: places - 1], rest[places - 1], rest[places:]
        return getattr(gb, name)(x, dim, *tensors, *others, **named)

    return call


REDUCE = [
    Case(((3, 2), (2, 2), (2, 2)), (0, reduce), {"include_self": include_self})
    for reduce in ("sum", "prod", "amax", "amin")
    for include_self in (True, False)
]
AVERAGE = [
    Case(((3, 2), (2, 2), (2, 2)), (0, "mean"), {"include_self": include_self})
    for include_self in (True, False)
]

GATHERS = [
    row(
        "gather",
        gather,
        [WIDE, THREE],
        *(Case(((3, 4), (5, 4)), (0,)), Case(((4, 3), (2, 7)), (1,)), Case(((3,), (0,)), (0,))),
        *(Case(((2, 3, 5), (2, 4, 3)), (1,)), Case(((3, 1000), (9, 1000)), (0,))),
        op=of("gather"),
    ),
    row(
        "take_along_dim",
        lambda x, numbers, dim: np.take_along_axis(x, numbers, dim),
        [WIDE, FOUR],
        *(
            Case(((4, 3), (5, 3)), (0,)),
            Case(((2, 4), (1, 3)), (-1,)),
            Case(((4, 2), (0, 2)), (0,)),
        ),
    ),
    row(
        "index_select",
        lambda x, numbers, dim: x[slices(x, dim, numbers)],
        [WIDE, THREE],
        *(Case(((3, 4), (5,)), (0,)), Case(((4, 3), (2,)), (-1,)), Case(((3, 70), (0,)), (0,))),
        Case(((2, 3, 100), (6,)), (1,)),
        op=of("index_select"),
    ),
    row(
        "take",
        lambda x, numbers: x.ravel()[numbers],
        [WIDE, FOUR],
        *(Case(((2, 2), (3, 2))), Case(((2, 3), (0,))), Case(((1031,), (2000,)))),
    ),
    row(
        "embedding",
        lambda weight, numbers: weight[numbers],
        [WIDE, THREE],
        *(Case(((3, 4), (2, 3))), Case(((3, 0), (2,))), Case(((3, 33), ()))),
        op=lambda weight, numbers: gb.nn.functional.embedding(numbers, weight),
    ),
    row(
        "masked_select",
        lambda x, mask: np.broadcast_to(x, np.broadcast_shapes(x.shape, mask.shape))[
            np.broadcast_to(mask, np.broadcast_shapes(x.shape, mask.shape))
        ],
        [WIDE, CONDITION],
        *(Case(((3, 4), (3, 4))), Case(((3, 4), (4,))), Case(((4,), (3, 1))), Case(((0,), (0,)))),
        *(Case(((), ())), Case(((9001,), (9001,)))),
    ),
    row(
        "nonzero",
        lambda x: np.argwhere(x),
        [Draw(0, 1)],
        *(Case(((3, 4),)), Case(((0, 2),)), Case(((70, 90),)), Case(((5000,),)), Case(((),))),
        result=index,
        gradient_order=0,
    ),
    row(
        "argwhere",
        lambda x: np.argwhere(x),
        [Draw(0, 1)],
        *(Case(((3, 2, 4),)), Case(((2, 0),))),
        result=index,
        gradient_order=0,
    ),
]
SCATTERS = [
    row(
        "scatter",
        scattering(write),
        [WIDE, SHUFFLED, WIDE],
        *(Case(((3, 4), (2, 4), (2, 4)), (0,)), Case(((5, 3), (3, 2), (4, 2)), (0,))),
        *(Case(((3,), (0,), (0,)), (0,)), Case(((1000, 70), (900, 70), (900, 70)), (0,))),
        op=of("scatter", 3),
    ),
    row(
        "scatter_add",
        scattering(np.add.at),
        [WIDE, THREE, WIDE],
        *(Case(((3, 4), (5, 4), (5, 4)), (0,)), Case(((4, 3), (3, 5), (4, 5)), (1,))),
        Case(((3,), (0,), (0,)), (0,)),
        terms=4,
        op=of("scatter_add", 3),
    ),
    row(
        "scatter_reduce",
        reduced,
        [NEAR, THREE, NEAR],
        *REDUCE,
        terms=4,
        op=of("scatter_reduce", 3),
    ),
    row(
        "scatter_reduce",
        reduced,
        [NEAR, THREE, NEAR],
        *AVERAGE,
        dtypes=NUMBERS,
        terms=4,
        op=of("scatter_reduce", 3),
    ),
    row(
        "index_add",
        sliced(np.add.at),
        [WIDE, THREE, WIDE],
        *(Case(((3, 4), (5,), (5, 4)), (0,)), Case(((2, 3), (4,), (2, 4)), (1,))),
        Case(((3, 100), (0,), (0, 100)), (0,)),
        terms=4,
        op=of("index_add", 3),
    ),
    row(
        "index_copy",
        sliced(write),
        [WIDE, SHUFFLED, WIDE],
        *(Case(((3, 4), (2,), (2, 4)), (0,)), Case(((2, 3), (3,), (2, 3)), (-1,))),
        op=of("index_copy", 3),
    ),
    row(
        "index_fill",
        sliced(write),
        [WIDE, SHUFFLED, reals(0, 9)],
        *(Case(((3, 4), (2,), ()), (0,)), Case(((2, 3), (2,), ()), (1,))),
        op=of("index_fill", 3),
    ),
    row(
        "index_put",
        lambda x, numbers, values: sliced(write)(x, numbers, values, 0),
        [WIDE, SHUFFLED, WIDE],
        *(Case(((4, 3), (2,), (2, 3))), Case(((4, 3), (2,), (3,))), Case(((4, 3), (2,), ()))),
        op=lambda x, numbers, values: gb.index_put(x, (numbers,), values),
    ),
    row(
        "put",
        lambda x, numbers, values: (
            np.array(
                [
                    values.ravel()[list(numbers.ravel()).index(i)] if i in numbers else v
                    for i, v in enumerate(x.ravel())
                ]
            )
            .reshape(x.shape)
            .astype(x.dtype)
        ),
        [WIDE, SHUFFLED, WIDE],
        Case(((2, 3), (4,), (2, 2))),
    ),
    row(
        "masked_fill",
        lambda x, mask, value: np.where(mask, value, x),
        [WIDE, CONDITION, reals(0, 9)],
        *(Case(((3, 4), (3, 4), ())), Case(((3, 4), (4,), ())), Case(((), (), ()))),
    ),
    row(
        "masked_scatter",
        masked_scatter,
        [WIDE, CONDITION, WIDE],
        *(Case(((3, 4), (3, 4), (3, 4))), Case(((3, 4), (4,), (15,)))),
        Case(((9001,), (9001,), (9001,))),
    ),
]
INDEXING = GATHERS + SCATTERS
