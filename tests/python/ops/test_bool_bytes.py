"""A bool is a byte that others may write: all but 0 is true, for every op alike."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

BYTES = np.array([2, 0, 255, 1, 128, 0, 3] * 100, np.uint8).reshape(7, 100)
TRUTH = BYTES != 0


def from_bytes():
    return gb.from_numpy(BYTES.copy()).view(gb.bool)


def from_array():
    return gb.from_numpy(BYTES.copy().view(np.bool_))


OPS = {
    "sum": lambda x: x.sum(),
    "sum of columns": lambda x: x.sum(0),
    "sum of rows": lambda x: x.t().sum(0),
    "prod": lambda x: x[:1, :4].prod(1),
    "max": lambda x: x.amax(1),
    "max of columns": lambda x: x.max(0).values,
    "place of max": lambda x: x.max(0).indices,
    "place of max in a row": lambda x: x.max(1).indices,
    "place of max in a short row": lambda x: x[:, :5].max(1).values,
    "min": lambda x: x.amin(0),
    "place of min": lambda x: x.argmin(1) if x.dtype != gb.bool else x.min(1).indices,
    "running max": lambda x: gb.cummax(x, 1).indices,
    "running sum": lambda x: x.cumsum(0),
    "running product": lambda x: x.cumprod(1),
    "all": lambda x: x.all(1),
    "any": lambda x: x.any(1),
    "count": lambda x: gb.count_nonzero(x, 0),
    "mean": lambda x: x.mean(dtype=gb.float32),
    "plus": lambda x: x + x,
    "plus a number": lambda x: x + 1,
    "not": lambda x: ~x,
    "and": lambda x: x & True,
    "xor": lambda x: x ^ x.flip(0),
    "equal": lambda x: x == True,  # noqa: E712
    "less": lambda x: x < x.flip(1),
    "to int": lambda x: x.to(gb.int64),
    "to float": lambda x: x.float(),
    "to bytes": lambda x: x.to(gb.uint8),
    "where": lambda x: gb.where(x, 1.0, 2.0),
    "by mask": lambda x: gb.arange(700).view(7, 100)[x],
    "places": lambda x: x.nonzero(),
    "fill": lambda x: gb.zeros(7, 100).masked_fill_(x, 3.0),
    "sort": lambda x: x.sort(1, stable=True).indices,
    "sort down": lambda x: x.sort(1, descending=True, stable=True).indices,
    "topk": lambda x: x.to(gb.int32).topk(3).values,
    "unique": lambda x: x.unique(return_counts=True)[1],
    "scattered": lambda x: gb.zeros(7, 100, dtype=gb.int64).scatter_add_(
        1, gb.arange(100).expand(7, 100), x.to(gb.int64)
    ),
    "scattered bools": lambda x: gb.zeros(7, 100, dtype=gb.bool).scatter_add_(
        1, gb.arange(100).expand(7, 100), x
    ),
    "an item": lambda x: gb.tensor(x[0, 0].item() + 0),
    "a list": lambda x: gb.tensor([[int(v) for v in row] for row in x.tolist()]),
    "matmul": lambda x: x.float() @ x.float().t(),
    "as index": lambda x: x.to(gb.int64).bincount() if x.dim() == 1 else x.flatten().sum(),
    "diff": lambda x: gb.diff(x),
    "outer": lambda x: gb.outer(x[0], x[1]),
    "equal tensors": lambda x: gb.tensor(gb.equal(x, gb.from_numpy(TRUTH.copy()))),
    "searched": lambda x: gb.searchsorted(x.sort(1).values.to(gb.int64), gb.ones(7, 1).long()),
}


@pytest.mark.parametrize("made", [from_bytes, from_array])
@pytest.mark.parametrize("op", OPS)
def test_every_byte_but_0_counts_as_true(op, made, no_leaks):
    expected = OPS[op](gb.from_numpy(TRUTH.copy()))

    found = OPS[op](made())

    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()
    if found.dtype == gb.bool and "list" not in op:
        assert set(found.to(gb.int64).flatten().tolist()) <= {0, 1}
