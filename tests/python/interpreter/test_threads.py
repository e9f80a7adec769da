"""Threads: how many work on one operation, and that results do not tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import garboard as gb
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def same_count_afterwards() -> Iterator[None]:
    before = gb.get_num_threads()
    yield
    gb.set_num_threads(before)


def test_the_count_is_what_was_set():
    gb.set_num_threads(3)

    assert gb.get_num_threads() == 3


@pytest.mark.parametrize("count", [0, -1, 257])
def test_a_count_out_of_range_is_refused(count):
    before = gb.get_num_threads()

    with pytest.raises(gb.ShapeError, match="set_num_threads"):
        gb.set_num_threads(count)

    assert gb.get_num_threads() == before


RANDOM = np.random.default_rng(5)
LONG = RANDOM.standard_normal(1 << 20, dtype=np.float32)
SQUARE = LONG.reshape(1024, 1024)

WORK = {
    "add": lambda: gb.tensor(LONG) + gb.tensor(LONG),
    "exp": lambda: gb.exp(gb.tensor(LONG)),
    "sin": lambda: gb.sin(gb.tensor(LONG)),
    "transposed add": lambda: gb.tensor(SQUARE).T + gb.tensor(SQUARE),
    "copy of a transposed": lambda: gb.tensor(SQUARE).T.contiguous(),
    "broadcast": lambda: gb.tensor(SQUARE) + gb.tensor(SQUARE[0]),
    "compare": lambda: gb.tensor(LONG) > 0,
    "sum": lambda: gb.tensor(LONG).sum(),
    "sum of rows": lambda: gb.tensor(SQUARE).sum(1),
    "sum of columns": lambda: gb.tensor(SQUARE).sum(0),
    "sum of tall columns": lambda: gb.tensor(LONG.reshape(-1, 16)).sum(0),
    "variance of tall columns": lambda: gb.tensor(LONG[:1_000_000].reshape(-1, 10)).var(0),
    "sum of a transposed": lambda: gb.tensor(SQUARE).T.sum(),
    "sum of two long rows": lambda: gb.tensor(LONG.reshape(2, -1)).sum(1),
    "place of the maximum": lambda: gb.tensor(LONG).argmax(),
    "max of columns": lambda: gb.tensor(SQUARE).max(dim=0)[0],
    "softmax": lambda: gb.softmax(gb.tensor(SQUARE), 1),
    "product": lambda: gb.tensor(SQUARE[:300, :400]) @ gb.tensor(SQUARE[:400, :500]),
    "large product": lambda: gb.tensor(SQUARE) @ gb.tensor(SQUARE),
    "product in float64": lambda: (
        gb.tensor(SQUARE[:300].astype(float)) @ gb.tensor(SQUARE.astype(float))
    ),
    "product of a few rows": lambda: gb.tensor(SQUARE[:4]) @ gb.tensor(SQUARE).T,
    "product of a few columns": lambda: gb.tensor(SQUARE) @ gb.tensor(SQUARE[:11]).T,
    "matrix and vector": lambda: gb.tensor(SQUARE) @ gb.tensor(SQUARE[0]),
    "batch of products": lambda: gb.bmm(
        gb.tensor(LONG.reshape(64, 128, 128)), gb.tensor(LONG.reshape(64, 128, 128))
    ),
    "random numbers": lambda: (gb.manual_seed(3), gb.randn(100_001))[1],
    "random bits": lambda: (gb.manual_seed(3), gb.nn.functional.dropout(gb.ones(100_001), 0.3))[1],
    "Adam": lambda: stepped(gb.optim.AdamW, weight_decay=0.1),
    "SGD": lambda: stepped(gb.optim.SGD, momentum=0.9, nesterov=True),
}


def stepped(optimizer: type, **options: Any) -> gb.Tensor:
    """Return a parameter after two steps."""
    parameter = gb.tensor(LONG, requires_grad=True)
    with optimizer([parameter], lr=0.1, **options) as stepper:
        for _ in range(2):
            parameter.grad = gb.tensor(LONG[::-1].copy())
            stepper.step()
    return parameter.detach()


@pytest.mark.parametrize("name", WORK)
def test_results_do_not_depend_on_the_count(name):
    results = []
    for count in (1, 2, 3, 16):
        gb.set_num_threads(count)
        results.append(WORK[name]().numpy().tobytes())

    assert len(set(results)) == 1
