"""PyTorch's guide to the memory of tensors, replayed on this engine: every claim is an assertion.

Storage and views, contiguity, in-place work and `out=`, a device's memory, what holds it,
snapshots, the profiler, and the summary, in the order of the guide. Where the engine differs, the
test says so.
"""

from __future__ import annotations

import gc
import pickle

import garboard as gb
import numpy as np
import pytest
from garboard import memory, nn
from garboard.profiler import ProfilerActivity, profile, record_function

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

MIB = 1 << 20


def bytes_of(make) -> int:
    """What the call leaves allocated."""
    before = memory.memory_allocated()
    made = make()
    after = memory.memory_allocated()
    del made
    return after - before


class TestStorage:
    def test_has_the_bytes_of_its_elements(self):
        x = gb.zeros(2, 3)

        assert (x.dtype, x.itemsize, x.numel(), x.nbytes) == (gb.float32, 4, 6, 24)
        assert x.untyped_storage().nbytes() == 24
        assert bytes_of(lambda: gb.zeros(1000, 1000)) == 4_000_000

    @pytest.mark.parametrize(
        ("dtype", "size"),
        [
            (gb.float64, 8),
            (gb.int64, 8),
            (gb.float32, 4),
            (gb.int32, 4),
            (gb.uint8, 1),
            (gb.bool, 1),
        ],
    )
    def test_depends_on_the_dtype(self, dtype, size):
        assert bytes_of(lambda: gb.zeros(1000, dtype=dtype)) == 1000 * size

    def test_is_shared_by_what_is_assigned(self):
        x = gb.zeros(3)
        y = x
        y[0] = 1

        assert x.tolist() == [1, 0, 0]
        assert x.data_ptr() == y.data_ptr()

    def test_goes_with_the_last_reference(self):
        before = memory.memory_allocated()
        x = gb.zeros(MIB)
        y = x
        del x
        assert memory.memory_allocated() == before + 4 * MIB
        del y
        assert memory.memory_allocated() == before


class TestViews:
    def test_share_the_storage(self):
        x = gb.arange(6).view(2, 3)
        views = [x.view(3, 2), x.T, x[0], x[:, 1], x.flatten(), x.unsqueeze(0), x.expand(2, 3)]

        assert all(
            view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() for view in views
        )
        assert bytes_of(lambda: x.permute(1, 0)) == 0

    def test_see_what_is_written_into_the_base(self):
        x = gb.zeros(2, 3)
        row = x[0]
        x.fill_(7)

        assert row.tolist() == [7, 7, 7]

    def test_have_strides_and_an_offset_of_their_own(self):
        x = gb.arange(12).view(3, 4)

        assert (x.stride(), x.storage_offset()) == ((4, 1), 0)
        assert (x.T.stride(), x.T.storage_offset()) == ((1, 4), 0)
        assert (x[1:, ::2].stride(), x[1:, ::2].storage_offset()) == ((4, 2), 4)
        assert gb.zeros(1).expand(5).stride() == (0,)

    def test_keep_the_whole_storage_alive(self):
        before = memory.memory_allocated()
        x = gb.zeros(MIB)
        first = x[:1]
        del x
        assert memory.memory_allocated() == before + 4 * MIB

        first = first.clone()
        assert memory.memory_allocated() == before + 4
        assert first.tolist() == [0]

    def test_of_other_sizes_are_refused(self):
        with pytest.raises(RuntimeError):
            gb.zeros(2, 3).view(4)
        with pytest.raises(RuntimeError):
            gb.zeros(2, 3).T.view(6)


class TestContiguity:
    def test_is_lost_by_transposing(self):
        x = gb.zeros(2, 3)

        assert x.is_contiguous()
        assert not x.T.is_contiguous()
        assert x.T.T.is_contiguous()

    def test_copies_only_what_is_not_contiguous(self):
        x = gb.zeros(100, 200)

        assert bytes_of(x.contiguous) == 0
        assert bytes_of(lambda: x.T.contiguous()) == x.nbytes
        assert x.T.contiguous().stride() == (100, 1)

    def test_decides_whether_reshape_copies(self):
        x = gb.zeros(100, 200)

        assert bytes_of(lambda: x.reshape(-1)) == 0
        assert bytes_of(lambda: x.T.reshape(-1)) == x.nbytes


class TestInPlace:
    def test_allocates_nothing(self):
        x, y = gb.ones(1000, 1000), gb.ones(1000, 1000)
        address = x.data_ptr()
        memory.reset_peak_memory_stats()
        before = memory.memory_allocated()

        x.add_(y).mul_(2).relu_()
        x += y

        assert memory.max_memory_allocated() == before
        assert x.data_ptr() == address
        assert x[0, 0].item() == 5

    def test_needs_a_third_less_than_out_of_place(self):
        x, y = gb.ones(MIB), gb.ones(MIB)
        before = memory.memory_allocated()
        memory.reset_peak_memory_stats()
        z = x + y

        assert memory.max_memory_allocated() - before == z.nbytes

    def test_spoils_what_backward_needs_and_says_so(self):
        x = gb.ones(3, requires_grad=True)
        y = x.exp()
        y.add_(1)

        with pytest.raises(gb.VersionError):
            y.sum().backward()

    def test_refuses_leaves_that_want_gradients(self):
        x = gb.ones(3, requires_grad=True)
        with pytest.raises(RuntimeError):
            x.add_(1)
        with gb.no_grad():
            x.add_(1)

        assert x.tolist() == [2, 2, 2]


class TestOut:
    def test_writes_into_what_is_there(self):
        x, y, out = gb.ones(MIB), gb.ones(MIB), gb.empty(MIB)
        memory.reset_peak_memory_stats()
        before = memory.memory_allocated()

        result = gb.add(x, y, out=out)

        assert result is out
        assert memory.max_memory_allocated() == before
        assert out[0].item() == 2

    def test_refuses_gradients(self):
        x = gb.ones(3, requires_grad=True)
        with pytest.raises(RuntimeError):
            gb.mul(x, 2, out=gb.empty(3))


class TestDeviceMemory:
    """The guide's CUDA chapter; every device has this allocator here, so the CPU shows it too."""

    def test_is_cached_when_it_is_freed(self):
        memory.empty_cache()
        x = gb.empty(64 * MIB, dtype=gb.uint8)
        allocated, reserved = memory.memory_allocated(), memory.memory_reserved()
        del x

        assert memory.memory_allocated() == allocated - 64 * MIB
        assert memory.memory_reserved() == reserved
        assert memory.empty_cache() >= 64 * MIB
        assert memory.memory_reserved() <= reserved - 64 * MIB

    def test_does_not_come_back_while_a_tensor_uses_it(self):
        x = gb.empty(64 * MIB, dtype=gb.uint8)
        memory.empty_cache()

        assert memory.memory_reserved() >= x.nbytes

    def test_has_a_peak_that_can_be_reset(self):
        memory.reset_peak_memory_stats()
        start = memory.max_memory_allocated()
        gb.empty(8 * MIB, dtype=gb.uint8)
        assert memory.max_memory_allocated() == start + 8 * MIB

        memory.reset_peak_memory_stats()
        assert memory.max_memory_allocated() == start

    def test_is_counted_under_pytorchs_names(self):
        kept = gb.zeros(1000)
        stats = memory.memory_stats()

        assert stats["allocated_bytes.all.current"] == memory.memory_allocated()
        assert stats["allocated_bytes.all.peak"] == memory.max_memory_allocated()
        assert stats["reserved_bytes.all.current"] == memory.memory_reserved()
        assert kept.nbytes == 4000

    def test_runs_out_with_an_error_that_explains(self):
        limit = memory.set_memory_limit(memory.memory_reserved() + 100 * MIB)
        try:
            with pytest.raises(gb.OutOfMemoryError) as caught:
                gb.empty(500 * MIB, dtype=gb.uint8)
        finally:
            memory.set_memory_limit(limit)

        assert "500.0 MiB asked on cpu" in str(caught.value)
        assert "requested" in caught.value.report

    def test_can_be_capped_at_a_share(self):
        limit = memory.memory_limit()
        try:
            memory.set_per_process_memory_fraction(0.5)
            assert memory.get_per_process_memory_fraction() == pytest.approx(0.5)
        finally:
            memory.set_memory_limit(limit)


class TestWhatHoldsMemory:
    def test_a_graph_does_until_backward(self):
        w = gb.ones(1000, requires_grad=True)
        before = memory.memory_allocated()
        loss = w.exp().exp().sum()
        assert memory.memory_allocated() - before == 2 * w.nbytes + 4

        loss.backward()

        assert memory.memory_allocated() - before == w.nbytes + 4  # the gradient, and the loss

    def test_no_grad_keeps_nothing(self):
        w = gb.ones(1000, requires_grad=True)
        before = memory.memory_allocated()
        with gb.no_grad():
            loss = w.exp().exp().sum()

        assert memory.memory_allocated() - before == 4
        assert not loss.requires_grad

    def test_a_sum_of_losses_does_and_their_items_do_not(self):
        w = gb.ones(1000, requires_grad=True)
        before = memory.memory_allocated()
        total = sum((w * w).sum().item() for _ in range(10))
        assert memory.memory_allocated() == before

        kept = sum((w.exp()).sum() for _ in range(10))
        assert memory.memory_allocated() - before > 10 * w.nbytes
        assert (total, kept.requires_grad) == (10_000.0, True)

    def test_a_cycle_does_until_it_is_collected(self):
        before = memory.memory_allocated()
        gc.disable()
        try:
            cycle = [gb.zeros(1000)]
            cycle.append(cycle)
            del cycle
            assert memory.memory_allocated() == before + 4000
        finally:
            gc.enable()

        gc.collect()
        assert memory.memory_allocated() == before

    def test_zero_grad_gives_gradients_back(self):
        layer = nn.Linear(100, 100)
        before = memory.memory_allocated()
        layer(gb.ones(1, 100)).sum().backward()
        assert memory.memory_allocated() - before == 4 * (100 * 100 + 100)

        layer.zero_grad()

        assert memory.memory_allocated() == before


class TestSnapshot:
    """The guide's page on snapshots: record, run, dump, and read what the viewer reads."""

    @pytest.fixture
    def recorded(self):
        memory._record_memory_history(max_entries=10_000)
        yield memory._snapshot
        memory._record_memory_history(enabled=None)

    @staticmethod
    def events(snapshot):
        """The CPU's: it is the device after all the GPUs."""
        return snapshot["device_traces"][-1]

    @staticmethod
    def blocks(snapshot):
        return [block for segment in snapshot["segments"] for block in segment["blocks"]]

    def test_is_a_file_that_any_pickle_reads(self, recorded, tmp_path):
        kept = gb.zeros(MIB)
        memory._dump_snapshot(str(tmp_path / "snapshot.pickle"))

        snapshot = pickle.loads((tmp_path / "snapshot.pickle").read_bytes())

        assert {"segments", "device_traces"} <= snapshot.keys()
        assert memory.load_snapshot(tmp_path / "snapshot.pickle") == snapshot
        assert kept.numel() == MIB

    def test_tells_each_allocation_and_release_with_its_size_and_calls(self, recorded):
        x = gb.zeros(MIB)
        address = x.untyped_storage().data_ptr()
        del x

        mine = [event for event in self.events(recorded()) if event.get("addr") == address]

        actions = [event["action"] for event in mine if event["action"] != "segment_map"]
        assert actions == ["alloc", "free_requested", "free_completed"]
        assert {event["size"] for event in mine if event["action"] == "alloc"} == {4 * MIB}
        innermost = mine[0]["frames"][0]
        assert innermost["filename"] == __file__
        assert "test_tells_each_allocation" in innermost["name"]

    def test_orders_calls_from_the_innermost(self, recorded):
        def inner():
            return gb.zeros(MIB)

        def outer():
            return inner()

        kept = outer()
        alloc = [event for event in self.events(recorded()) if event["action"] == "alloc"][-1]

        names = [frame["name"].rpartition(".")[2] for frame in alloc["frames"]]
        assert names[:2] == ["inner", "outer"]
        assert kept.numel() == MIB

    def test_holds_live_blocks_in_segments_that_they_fill(self, recorded):
        kept = gb.zeros(MIB)
        snapshot = recorded()
        address = kept.untyped_storage().data_ptr()
        [block] = [it for it in self.blocks(snapshot) if it["address"] == address]

        assert (block["state"], block["requested_size"]) == ("active_allocated", 4 * MIB)
        for segment in snapshot["segments"]:
            assert sum(it["size"] for it in segment["blocks"]) == segment["total_size"]
        active = [it for it in self.blocks(snapshot) if it["state"] == "active_allocated"]
        assert sum(it["requested_size"] for it in active) == memory.memory_allocated()

    def test_keeps_freed_blocks_as_inactive_until_the_cache_is_emptied(self, recorded):
        memory.empty_cache()
        gb.empty(64 * MIB, dtype=gb.uint8)
        before = memory.memory_reserved()
        reserved = sum(segment["total_size"] for segment in recorded()["segments"])
        memory.empty_cache()
        after = sum(segment["total_size"] for segment in recorded()["segments"])

        assert reserved - after == before - memory.memory_reserved() >= 64 * MIB
        assert "segment_unmap" in {event["action"] for event in self.events(recorded())}

    def test_ends_with_the_moment_it_was_taken(self, recorded):
        assert self.events(recorded())[-1]["action"] == "snapshot"

    def test_tells_of_a_refusal_and_what_was_free(self, recorded):
        limit = memory.set_memory_limit(memory.memory_reserved() + 100 * MIB)
        try:
            with pytest.raises(gb.OutOfMemoryError):
                gb.empty(500 * MIB, dtype=gb.uint8)
        finally:
            memory.set_memory_limit(limit)

        [oom] = [event for event in self.events(recorded()) if event["action"] == "oom"]
        assert oom["size"] == 500 * MIB
        assert 100 * MIB <= oom["device_free"] < 500 * MIB  # what the cache held has been returned
        assert oom["frames"][0]["filename"] == __file__

    def test_does_not_see_memory_that_others_own(self, recorded):
        kept = gb.from_numpy(np.zeros(MIB, np.float32))
        addresses = {block["address"] for block in self.blocks(recorded())}

        assert kept.data_ptr() not in addresses

    def test_has_no_events_once_the_recording_has_ended(self, recorded):
        gb.zeros(MIB)
        memory._record_memory_history(enabled=None)

        assert {event["action"] for event in self.events(recorded())} <= {"snapshot"}


class TestProfiler:
    @pytest.fixture
    def prof(self):
        model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
        inputs = gb.ones(32, 64)
        with (
            profile(
                activities=[ProfilerActivity.CPU],
                profile_memory=True,
                record_shapes=True,
            ) as prof,
            record_function("model_inference"),
            gb.no_grad(),
        ):
            model(inputs)
        return prof

    def test_shows_which_op_takes_the_memory(self, prof):
        table = prof.key_averages().table(sort_by="self_cpu_memory_usage", row_limit=10)

        head, first = table.splitlines()[1], table.splitlines()[3]
        assert "Self CPU Mem" in head
        assert first.split()[0] == "linear"

    def test_shows_which_op_takes_the_time(self, prof):
        table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=10)

        assert table.splitlines()[3].split()[0] == "model_inference"

    def test_tells_the_whole_from_its_own(self, prof):
        whole = next(it for it in prof.key_averages() if it.key == "model_inference")

        assert whole.self_cpu_allocated == 0
        assert whole.cpu_allocated == 4 * 32 * (256 + 10)  # relu writes over linear's result
        assert whole.cpu_memory_usage == 0  # nothing of it was kept

    def test_tells_shapes_apart(self, prof):
        rows = prof.key_averages(group_by_input_shape=True)
        linear = [row.input_shapes for row in rows if row.key == "linear"]

        assert linear == ["[32, 64], [256, 64], [256]", "[32, 256], [10, 256], [10]"]

    def test_writes_a_trace(self, prof, tmp_path):
        prof.export_chrome_trace(tmp_path / "trace.json")

        assert '"model_inference"' in (tmp_path / "trace.json").read_text()


class TestSummary:
    def test_is_a_table_of_it_all(self):
        kept = gb.zeros(MIB)
        text = memory.memory_summary()

        for title in ("Allocated memory", "Active memory", "Reserved memory", "Allocations"):
            assert title in text
        assert f"{memory.memory_allocated():,} B" in text
        assert memory.memory_summary(abbreviated=True) != text
        assert kept.numel() == MIB

    def test_names_who_held_the_peak(self):
        memory.reset_peak_memory_stats()
        big = gb.zeros(10 * MIB)
        del big
        most = memory.peak().by_site[0]

        assert (most.site.file, most.bytes, most.count) == (__file__, 40 * MIB, 1)
