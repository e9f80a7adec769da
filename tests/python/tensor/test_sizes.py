"""Sizes beyond every memory are refused, typed, before a byte is asked for."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard import _engine
from garboard.memory import SimulatedDevice

from tests.python.ops.op_table import ROWS
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

HIGH, WIDE = (2**32, 1), (1, 2**31)  # together 2^63 elements
ELEMENTWISE = [row for row in ROWS if row.is_elementwise]
OF_SEVERAL = [row for row in ELEMENTWISE if len(row.draws) > 1]


@pytest.fixture(params=["cpu", "simulated"])
def device(request):
    if request.param == "cpu":
        yield gb.device("cpu")
    else:
        with SimulatedDevice(1 << 44) as device:
            yield device
            gc.collect()  # what a caught exception's traceback holds


def one(dtype: str, device: gb.device) -> gb.Tensor:
    return gb.ones(1, dtype=getattr(gb, dtype), device=device)


def refused(call: Callable[[], Any], error: type[Exception]) -> str:
    """Return what is said where `call` is refused, and no storage was ever born."""
    next_storage = _engine._next_serials()[1]
    with pytest.raises(error) as caught:
        call()
    if error is gb.ShapeError:
        assert _engine._next_serials()[1] == next_storage
    return str(caught.value)


class TestElementwise:
    @pytest.mark.parametrize("row", OF_SEVERAL, ids=attrgetter("name"))
    def test_broadcasting_is_refused_where_nothing_could_hold_the_result(self, row, device):
        sizes = [HIGH, WIDE, HIGH]
        inputs = [
            one(draw.dtype or row.dtypes[0], device).expand(size)
            for draw, size in zip(row.draws, sizes, strict=False)
        ]

        said = refused(lambda: row.call(*inputs, case=row.cases[0]), gb.ShapeError)

        assert said.startswith(f"{row.name}: sizes [4294967296, 2147483648] of ")
        assert said.endswith("2^63 bytes; no device holds them")

    @pytest.mark.parametrize("row", ELEMENTWISE, ids=attrgetter("name"))
    def test_what_could_be_counted_is_out_of_memory(self, row, device):
        inputs = [one(d.dtype or row.dtypes[0], device).expand(2**50, 2**8) for d in row.draws]

        refused(lambda: row.call(*inputs, case=row.cases[0]), gb.OutOfMemoryError)

    def test_a_wider_dtype_may_be_what_is_too_much(self, device):
        bits = one("bool", device).expand(2**31, 2**31)

        for call in (bits.double, bits.exp, lambda: bits + 1.5, lambda: gb.where(bits, 1.5, 2.5)):
            assert "of float" in refused(call, gb.ShapeError)


TOO_MUCH: list[tuple[str, Callable[[gb.Tensor], Any]]] = [
    ("mm", lambda x: x.expand(HIGH) @ x.expand(WIDE)),
    ("mm", lambda x: gb.mm(x.expand(HIGH), x.expand(WIDE))),
    ("bmm", lambda x: gb.bmm(x.expand(2, 2**31, 1), x.expand(2, 1, 2**31))),
    ("matmul", lambda x: x.expand(2**31, 1, 1, 1) @ x.expand(2**31, 1, 1)),
    ("matmul", lambda x: x.expand(2**31, 1, 2, 2) @ x.expand(2**31, 2, 2)),
    ("matmul", lambda x: x.expand(2**31, 1, 0, 2) @ x.expand(2**31, 2, 2)),
    ("linear", lambda x: gb.linear(x.expand(HIGH), x.expand(2**31, 1))),
    ("conv1d", lambda x: gb.conv1d(x.expand(2**31, 1, 1), x.expand(2**31, 1, 1))),
    ("conv1d", lambda x: gb.conv1d(x.expand(1, 1, 2)[:0], x.expand(32, 1, 2), padding=2**58)),
    ("cat", lambda x: gb.cat([x.expand(2**60)] * 2)),
    ("cat", lambda x: gb.cat([x.expand(2**60)] * 9)),
    ("cat", lambda x: gb.stack([x.expand(2**60)] * 2)),
    ("expand", lambda x: x.expand(2**31, 2**31)),
    ("expand", lambda x: x.expand(2**62)),
    ("expand", lambda x: x.expand(2**31, 2**31, 2**31)),
    ("expand", lambda x: x[:0].expand(2**31, 2**31, 0)),
    ("view", lambda x: x[:0].view(0, 2**31, 2**31)),
    ("view", lambda x: x[:0].view(2**31, 2**31, 0)),
    ("reshape", lambda x: x[:0].reshape(2**31, 0, 2**31)),
    ("cumsum", lambda x: x.bool().expand(2**31, 2**31).cumsum(0)),
    ("softmax", lambda x: x.bool().expand(2**31, 2**31).softmax(0, dtype=gb.float32)),
    ("clone", lambda x: x.expand(2**60).clone()),
    ("mean", lambda x: x.bool().expand(2**31, 2**31).mean(0, dtype=gb.float64)),
    ("zeros_like", lambda x: gb.zeros_like(x.bool().expand(2**31, 2**31), dtype=gb.float32)),
    ("zeros", lambda x: gb.zeros(2**61, device=x.device)),
    ("zeros", lambda x: gb.zeros(0, 2**31, 2**31, device=x.device)),
    ("eye", lambda x: gb.eye(2**31, 2**31, device=x.device)),
    ("arange", lambda x: gb.arange(2**60, device=x.device)),
    ("arange", lambda x: gb.arange(-(2**63), 2**63 - 1, device=x.device)),
    ("randperm", lambda x: gb.randperm(2**60, device=x.device)),
    ("randint", lambda x: gb.randint(5, (2**60,), device=x.device)),
    ("full", lambda x: gb.full((2**31, 2**31), 1.0, device=x.device)),
]


class TestOps:
    @pytest.mark.parametrize(("op", "call"), TOO_MUCH, ids=[op for op, _ in TOO_MUCH])
    def test_are_named_where_their_result_is_too_much(self, op, call, device):
        x = gb.ones(1, device=device)

        with pytest.raises((gb.ShapeError, gb.OutOfMemoryError)) as caught:
            call(x)

        said = str(caught.value)
        assert said.startswith((f"{op}: ", "to: ", "allocate: "))
        assert "no device holds them" in said or "at most 2^62" in said or "128.0 TiB" in said

    def test_backward_is_refused_too(self):
        x = gb.ones(1, requires_grad=True)
        y = x.expand(2**50)[3]

        refused(y.backward, gb.OutOfMemoryError)

        assert x.grad is None


class TestViews:
    def test_take_steps_beyond_all_memory_for_one_element(self):
        x = gb.arange(6).view(2, 3)

        for step in (2**62, 2**63 - 1):
            last = x[:, ::step][::step][:, ::step]
            assert last.tolist() == [[0]]
            assert gb.equal(last + last, gb.zeros(1, 1, dtype=gb.int64))
            assert np.asarray(last).tolist() == [[0]]

    def test_of_no_elements_keep_their_sizes_whichever_is_zero(self):
        for sizes in [(0, 2**20, 2**20), (2**20, 0, 2**20), (2**20, 2**20, 0)]:
            assert gb.zeros(0).view(sizes).shape == sizes

    def test_work_out_no_size_beside_a_zero(self):
        x = gb.zeros(0)

        assert x.view(2**40, -1).shape == (2**40, 0)
        refused(lambda: x.view(0, -1), gb.ShapeError)


class TestArange:
    def test_counts_whole_numbers_that_doubles_cannot_tell_apart(self):
        assert gb.arange(2**62, 2**62 + 3).tolist() == [2**62, 2**62 + 1, 2**62 + 2]
        assert gb.arange(2**63 - 1, 2**63 - 6, -2).tolist() == [2**63 - 1, 2**63 - 3, 2**63 - 5]
        assert gb.arange(-(2**63), 2**63 - 1, 2**62).tolist() == [-(2**63), -(2**62), 0, 2**62]
        assert gb.arange(2**53 + 1, 2**53 + 1).tolist() == []

    def test_refuses_a_step_away_from_an_end_that_doubles_cannot_tell_apart(self):
        refused(lambda: gb.arange(2**62 + 1, 2**62), gb.ShapeError)


class TestBuffers:
    def test_of_more_than_can_be_counted_are_refused(self):
        nothing = ((ctypes.c_float * 0) * 2**31) * 2**31

        for take in (gb.from_numpy, gb.tensor, gb.as_tensor):
            refused(lambda take=take: take(nothing()), gb.ShapeError)

    def test_without_strides_are_dense(self):
        array = ((ctypes.c_float * 3) * 2)((1, 2, 3), (4, 5, 6))

        x = gb.from_numpy(array)
        array[1][0] = 7

        assert x.tolist() == [[1, 2, 3], [7, 5, 6]]
        assert x.is_contiguous()

    def test_of_no_elements_may_have_any_strides(self):
        array = np.zeros((0, 3), np.float32)
        strided = np.lib.stride_tricks.as_strided(array, (0, 3), (2**62, 2**62))

        assert gb.from_numpy(strided).tolist() == []


class TestScopeLimits:
    def test_refuse_what_beside_live_bytes_passes_two_to_the_sixty_third(self):
        with gb.dispose_scope(limit="1 MiB"):
            x = gb.ones(100)

            said = refused(lambda: gb.empty(2**61 - 1), gb.ScopeLimitError)

            assert x.sum().item() == 100
            assert "1.0 MiB" in said
