"""The device of sizes: tensors there have dtypes, strides and graphs, and no elements."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import subprocess
import sys
import threading
from textwrap import dedent

import garboard as gb
import pytest
from garboard import memory, nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

META = gb.device("meta")


class TestATensorOnMeta:
    def test_has_all_but_elements(self):
        x = gb.zeros(2, 3, dtype=gb.float64, device="meta")

        assert x.is_meta
        assert not gb.zeros(1).is_meta
        assert (x.device, x.shape, x.stride(), x.nbytes) == (META, (2, 3), (3, 1), 48)
        assert repr(x) == "tensor(..., device='meta', size=(2, 3), dtype=garboard.float64)"

    def test_has_a_device_without_a_number(self):
        assert (str(META), repr(META)) == ("meta", "device(type='meta')")
        assert (META.type, META.index) == ("meta", None)
        assert gb.device("meta:0") == META == pickle.loads(pickle.dumps(META))
        with pytest.raises(gb.DeviceError, match=r'^device: device "meta:1"; one of "cpu", '):
            gb.device("meta:1")

    def test_takes_no_memory_and_tells_what_it_would_take(self):
        x = gb.empty(1 << 38, device="meta")

        assert memory.live(META).bytes == 1 << 40
        del x
        gc.collect()
        assert memory.live(META).bytes == 0

    def test_takes_next_to_nothing_of_the_hosts_memory_either(self):
        program = """
            import resource
            import garboard as gb

            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            kept = [gb.empty(1, device="meta"), gb.empty(1 << 38, device="meta")]
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        """
        ran = subprocess.run(
            [sys.executable, "-c", dedent(program)], capture_output=True, text=True, check=True
        )

        assert int(ran.stdout) < 32 << 10, f"{ran.stdout} KiB"

    def test_goes_through_ops_and_graphs_as_sizes(self):
        x = gb.randn(4, 8, device="meta", requires_grad=True)
        y = nn.functional.softmax(x @ gb.ones(8, 3, device="meta"), dim=-1)[1:].sum()
        y.backward()

        assert (y.shape, y.device) == ((), META)
        assert (x.grad.shape, x.grad.device) == ((4, 8), META)

    @pytest.mark.parametrize(
        "read",
        [
            lambda x: x.item(),
            lambda x: x.sum().item(),
            lambda x: bool(x),
            lambda x: float(x),
            lambda x: x.tolist(),
            lambda x: x.cpu(),
            lambda x: x.to("cpu"),
            lambda x: gb.zeros(1).copy_(x),
            lambda x: x.nonzero(),
            lambda x: x[x > 0],
            lambda x: x.unique(),
            lambda x: gb.equal(x, x + 1),
            lambda x: gb.repeat_interleave(x, x.long()),
        ],
    )
    def test_refuses_to_tell_what_it_has_not(self, read):
        x = gb.ones(1, device="meta")

        with pytest.raises(gb.DeviceError, match=r": a tensor on meta has sizes and no elements; "):
            read(x)

    @pytest.mark.parametrize("read", [lambda x: x.numpy(), lambda x: x.__dlpack__()])
    def test_lends_nobody_its_memory(self, read):
        with pytest.raises((gb.DeviceError, BufferError)):
            read(gb.ones(1, device="meta"))

    def test_takes_what_is_copied_into_it(self):
        x = gb.zeros(2, 3, device="meta")

        assert x.copy_(gb.ones(3)) is x
        assert gb.ones(2).to("meta").device == META

    def test_meets_none_of_another_device(self):
        with pytest.raises(gb.DeviceError, match="meta"):
            gb.ones(2, device="meta") + gb.ones(2)

    def test_asks_for_no_more_than_there_can_be(self):
        with pytest.raises(gb.OutOfMemoryError, match="check the sizes"):
            gb.empty(1 << 60, dtype=gb.uint8, device="meta")


class TestAModuleOnMeta:
    def test_is_made_without_memory_and_run_for_its_sizes(self):
        with gb.device("meta"):
            model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten())
            model.append(nn.LazyLinear(10))
            out = model(gb.randn(2, 3, 8, 8))

        assert all(t.is_meta for t in (*model.parameters(), *model.buffers(), out))
        assert out.shape == (2, 10)

    def test_gets_memory_and_values_later(self):
        source = nn.Linear(3, 2)
        with gb.device("meta"):
            empty = nn.Linear(3, 2)
        assigned = copy.deepcopy(empty)

        empty.to_empty(device="cpu").load_state_dict(source.state_dict())
        assigned.load_state_dict(source.state_dict(), assign=True)

        for model in (empty, assigned):
            assert gb.equal(model.weight, source.weight)
            assert isinstance(model.weight, nn.Parameter)
            assert model.weight.requires_grad
        with pytest.raises(gb.DeviceError, match=r"to_empty\(device=\.\.\.\)"):
            nn.Linear(3, 2).to("meta").to("cpu")

    def test_trains_as_sizes(self):
        model = nn.LSTM(4, 5, device="meta")
        optimizer = gb.optim.Adam(model.parameters())
        for _ in range(2):
            optimizer.zero_grad()
            out, _ = model(gb.zeros(7, 2, 4, device="meta"))
            out.sum().backward()
            optimizer.step()

        assert out.shape == (7, 2, 5)


class TestTheDefaultDevice:
    def test_is_where_tensors_are_made_in_a_block(self):
        with gb.device("meta"):
            made = [gb.zeros(1), gb.tensor([1.0]), gb.arange(3), gb.randn(2), gb.as_tensor(1.0)]
            with gb.device("cpu"):
                inner = gb.zeros(1)
            named = gb.zeros(1, device="cpu")
            like = gb.zeros_like(named)

        assert all(x.is_meta for x in made)
        assert [x.is_meta for x in (inner, named, like, gb.zeros(1))] == [False] * 4

    def test_is_set_for_good(self):
        gb.set_default_device("meta")
        try:
            assert gb.get_default_device() == META
            assert gb.ones(1).is_meta
            with gb.device("cpu"):
                assert not gb.ones(1).is_meta
        finally:
            gb.set_default_device(None)
        assert not gb.ones(1).is_meta

    def test_ends_with_the_block_that_raises(self):
        with pytest.raises(ZeroDivisionError), META, META:
            raise ZeroDivisionError
        assert gb.get_default_device() == gb.device("cpu")

    def test_is_that_of_a_thread_and_of_a_task(self):
        seen = []
        with META:
            thread = threading.Thread(target=lambda: seen.append(gb.zeros(1).is_meta))
            thread.start()
            thread.join()
        assert seen == [False]

        async def inside(is_open, may_close):
            with META:
                is_open.set()
                await may_close.wait()
                return gb.zeros(1).is_meta

        async def both():
            is_open, may_close = asyncio.Event(), asyncio.Event()
            task = asyncio.create_task(inside(is_open, may_close))
            await is_open.wait()
            outside = gb.zeros(1).is_meta
            may_close.set()
            return outside, await task

        assert asyncio.run(both()) == (False, True)

    def test_is_one_that_can_be_used(self):
        for choose in (gb.set_default_device, lambda name: gb.device(name).__enter__()):
            with pytest.raises(gb.DeviceError, match=r"simulated:0 is not open"):
                choose("simulated")
        assert gb.get_default_device() == gb.device("cpu")
