"""Devices to try allocations on: the memory of every device, and no work."""

from __future__ import annotations

import gc
import weakref

import garboard as gb
import pytest
from garboard import memory
from garboard.memory import LoggedEvent, SimulatedDevice, largest_batch

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

MIB = 1 << 20


@pytest.fixture
def device():
    with SimulatedDevice("64 MiB") as device:
        yield device
        gc.collect()


class TestASimulatedDevice:
    def test_is_a_device_with_a_name(self, device):
        assert isinstance(device, gb.device)
        assert (device.type, device.index) == ("simulated", int(str(device)[-1]))
        assert repr(device) == f"device(type='simulated', index={device.index})"
        assert gb.device(str(device)) == device == gb.zeros(1, device=device).device

    def test_takes_memory_for_every_tensor_and_gives_it_back(self, device):
        x = gb.zeros(MIB, device=device)
        y = gb.ones(3, 4).to(device)

        assert memory.memory_allocated(device) == 4 * MIB + 48 == memory.live(device).bytes
        assert memory.memory_reserved(device) >= 4 * MIB
        x.dispose()
        y.dispose()
        assert memory.memory_allocated(device) == 0
        assert memory.empty_cache(device) > 0

    def test_gives_each_tensor_a_block_as_a_gpu_does(self, device):
        gb.zeros(1, device=device)

        counts = memory.memory_stats(device)
        assert counts["requested_bytes.all.peak"] == 4
        assert counts["active_bytes.all.peak"] == 512

    def test_computes_nothing_and_reads_as_zeros(self, device):
        x = gb.ones(2, 3, device=device) + 1

        assert x.cpu().tolist() == [[0, 0, 0], [0, 0, 0]]
        assert x.sum().item() == 0
        assert x.to("cpu", gb.int64).tolist() == [[0, 0, 0], [0, 0, 0]]
        assert repr(x) == f"tensor(..., device='{device}', size=(2, 3))"
        y = gb.ones(2, 3)
        y.copy_(x)
        assert y.tolist() == [[0, 0, 0], [0, 0, 0]]

    def test_has_every_op_with_its_gradient(self, device):
        x = gb.rand(4, 4, device=device, requires_grad=True)
        y = ((x @ x.T).exp() * 2).softmax(1).max(1)[0]
        y[0] = 3
        loss = gb.nn.functional.cross_entropy(
            gb.stack([y, y]), gb.zeros(2, dtype=gb.int64, device=device)
        )
        loss.backward()

        assert x.grad.device == device
        assert x.grad.shape == (4, 4)

    @pytest.mark.parametrize("optimizer", [gb.optim.SGD, gb.optim.Adam, gb.optim.AdamW])
    def test_trains_a_model_in_the_bytes_it_takes_elsewhere(self, device, optimizer):
        def peak_on(place: str | gb.device) -> int:
            with gb.dispose_scope():
                model = gb.nn.Sequential(
                    gb.nn.Linear(64, 256), gb.nn.ReLU(), gb.nn.Linear(256, 10)
                ).to(place)
                stepper = optimizer(model.parameters(), lr=0.1)
                memory.reset_peak_memory_stats(place)
                start = memory.memory_allocated(place)
                for _ in range(3):
                    with gb.dispose_scope():
                        logits = model(gb.zeros(32, 64, device=place))
                        target = gb.zeros(32, dtype=gb.int64, device=place)
                        loss = gb.nn.functional.cross_entropy(logits, target)
                        stepper.zero_grad()
                        loss.backward()
                        stepper.step()
                peak = memory.max_memory_allocated(place) - start
                stepper.dispose()
                model.dispose()
            return peak

        assert peak_on(device) == peak_on("cpu")

    def test_runs_out_of_memory_as_a_device_does(self, device):
        kept = gb.empty(32 * MIB, dtype=gb.uint8, device=device)
        with pytest.raises(gb.OutOfMemoryError, match=r"40\.0 MiB asked on simulated:\d"):
            gb.empty(40 * MIB, dtype=gb.uint8, device=device)

        assert memory.memory_allocated(device) == 32 * MIB
        kept.dispose()
        gb.empty(40 * MIB, dtype=gb.uint8, device=device)

    def test_has_less_where_others_hold_some(self):
        with SimulatedDevice("64 MiB", taken="40 MiB") as device:
            assert (device.capacity_bytes, device.taken_bytes) == (64 * MIB, 40 * MIB)
            gb.empty(24 * MIB, dtype=gb.uint8, device=device)
            with pytest.raises(gb.OutOfMemoryError):
                gb.empty(26 * MIB, dtype=gb.uint8, device=device)

    def test_collects_what_cycles_keep_before_it_fails(self, device):
        class Node:
            def __init__(self):
                self.tensor, self.self = gb.empty(40 * MIB, dtype=gb.uint8, device=device), self

        def make_two() -> None:
            Node()
            gb.empty(40 * MIB, dtype=gb.uint8, device=device)

        with pytest.warns(gb.leaks.MemoryLeakWarning, match=r"40\.0 MiB of tensors were held by"):
            make_two()

    def test_has_no_elements_for_numpy(self, device):
        with pytest.raises(gb.DeviceError, match=r"a tensor on simulated:\d; copy it with cpu\(\)"):
            gb.zeros(1, device=device).numpy()

    def test_takes_inputs_of_its_own_alone(self, device):
        with pytest.raises(gb.DeviceError, match="simulated"):
            gb.zeros(1, device=device) + gb.zeros(1)

    def test_exchanges_tensors_with_another(self, device):
        with SimulatedDevice("64 MiB") as other:
            assert other != device
            x = gb.ones(3, device=device).to(other)
            assert x.device == other
            assert memory.memory_allocated(other) == 12
            x.dispose()


class TestClosing:
    def test_begins_the_next_with_nothing(self):
        with SimulatedDevice("64 MiB") as first:
            gb.zeros(1000, device=first)
            name = str(first)
        with SimulatedDevice("8 MiB") as second:
            assert str(second) == name
            assert memory.max_memory_allocated(second) == 0
            assert memory.max_memory_reserved(second) == 0
            assert memory.memory_stats(second)["allocation.all.allocated"] == 0
            with pytest.raises(gb.OutOfMemoryError):
                gb.empty(9 * MIB, dtype=gb.uint8, device=second)

    def test_refuses_while_something_lives_on_it(self):
        device = SimulatedDevice("64 MiB")
        x = gb.zeros(1000, device=device)
        with pytest.raises(gb.DeviceError, match=r"(?s)3\.9 KiB live on simulated.*dispose"):
            device.close()

        assert x.device == device
        x.dispose()
        device.close()
        device.close()

    def test_ends_what_can_be_made_on_it(self):
        device = SimulatedDevice("64 MiB")
        device.close()

        with pytest.raises(gb.DeviceError, match=r"zeros: device simulated:\d is not open"):
            gb.zeros(1, device=device)
        with pytest.raises(gb.DeviceError, match="SimulatedDevice"):
            gb.zeros(1, device="simulated:3")

    def test_waits_for_tensors_where_an_error_leaves_the_block(self):
        def fail():
            with SimulatedDevice("64 MiB") as device:
                kept.append(gb.zeros(10, device=device))
                raise KeyError("mine")

        kept: list[gb.Tensor] = []
        with pytest.raises(KeyError, match="mine"):
            fail()
        name = str(kept[0].device)
        with SimulatedDevice("64 MiB") as other:
            assert str(other) != name
        kept.clear()
        with SimulatedDevice("64 MiB") as again:
            assert str(again) == name

    def test_happens_when_nobody_holds_the_device(self):
        device = SimulatedDevice("64 MiB")
        name, gone = str(device), weakref.ref(device)
        del device

        assert gone() is None
        with SimulatedDevice("64 MiB") as next_one:
            assert str(next_one) == name

    def test_makes_room_for_a_fifth(self):
        devices = [SimulatedDevice("2 MiB") for _ in range(4)]
        with pytest.raises(gb.DeviceError, match="4 are open; close one first"):
            SimulatedDevice("2 MiB")

        devices.pop().close()
        SimulatedDevice("2 MiB").close()

    @pytest.mark.parametrize(
        ("capacity", "taken"), [(0, 0), ("1 MiB", 0), ("64 MiB", "63 MiB"), ("1 GiB", "2 GiB")]
    )
    def test_is_not_needed_for_a_device_without_room(self, capacity, taken):
        with pytest.raises(gb.DeviceError, match=r"2\.0 MiB must be left at least"):
            SimulatedDevice(capacity, taken=taken)

    @pytest.mark.parametrize("capacity", ["much", "-1 GiB", -1, 1.5, None])
    def test_is_not_needed_for_a_capacity_that_is_none(self, capacity):
        with pytest.raises((gb.GarboardError, TypeError)):
            SimulatedDevice(capacity)


class TestReplaying:
    def log(self, *events: tuple[str, int, int]) -> list[LoggedEvent]:
        return [LoggedEvent(1, i, *event, 0) for i, event in enumerate(events)]

    def test_tells_whether_a_log_fits(self, device):
        log = self.log(
            ("allocate", 16, 40 * MIB),
            ("free", 16, 40 * MIB),
            ("allocate", 16, 30 * MIB),
            ("allocate", 32, 30 * MIB),
        )
        trial = device.replay(log)

        assert trial.fits
        assert trial.peak_bytes == 60 * MIB <= trial.peak_reserved_bytes <= 64 * MIB
        assert 0 <= trial.fragmentation < 0.1
        assert str(trial) == "fits: 60.0 MiB live, 60.0 MiB held"
        assert memory.memory_allocated(device) == 0

    def test_tells_why_a_log_does_not_fit(self, device):
        trial = device.replay(self.log(("allocate", 16, 40 * MIB), ("allocate", 32, 40 * MIB)))

        assert not trial.fits
        assert trial.report.startswith("allocate: 40.0 MiB asked")
        assert trial.peak_bytes == 40 * MIB
        assert str(trial).startswith("does not fit: 40.0 MiB live")
        assert memory.memory_allocated(device) == 0

    def test_takes_what_a_real_run_recorded(self, device, tmp_path):
        memory._record_memory_history("site")
        try:
            with gb.dispose_scope():
                x = gb.ones(300, 300)
                ((x @ x) + 1).sum()
            memory.write_allocation_log(tmp_path / "log.csv")
        finally:
            memory._record_memory_history(None)
        trial = device.replay(memory.read_allocation_log(tmp_path / "log.csv"))

        assert trial.fits
        assert trial.peak_bytes == 3 * 360_000

    def test_passes_over_what_a_log_does_not_explain(self, device):
        log = self.log(
            ("free", 7, 10),
            ("allocate", 16, 0),
            ("allocate failure", 0, 1 << 40),
            ("allocate", 32, 100),
            ("allocate", 32, 50),
        )
        trial = device.replay(log)

        assert (trial.fits, trial.peak_bytes) == (True, 100)
        assert device.replay([]).fragmentation == 0

    def test_needs_an_open_device(self):
        device = SimulatedDevice("2 MiB")
        device.close()

        with pytest.raises(gb.DeviceError, match="is not open"):
            device.replay(self.log(("allocate", 16, 100)))


class TestTheLargestBatch:
    def test_is_the_last_that_fits(self):
        seen = []

        def step(batch: int, device: gb.device) -> None:
            seen.append(batch)
            gb.empty(batch * MIB, dtype=gb.uint8, device=device)

        found = largest_batch(step, "37 MiB", steps=1)

        assert found.batch == 36  # memory comes in pieces of 2 MiB
        assert found.trial.fits
        assert found.trial.peak_bytes == 36 * MIB
        assert not found.refused.fits
        assert [batch for batch, _ in found.tried] == seen
        assert seen[:6] == [1, 2, 4, 8, 16, 32]
        assert "largest batch: 36 (fits: 36.0 MiB live" in str(found)
        assert "\n37 does not fit:\nallocate: 37.0 MiB asked" in str(found)

    def test_counts_what_a_second_step_meets(self):
        kept = []

        def step(batch: int, device: gb.device) -> None:
            x = gb.empty(batch * MIB, dtype=gb.uint8, device=device)
            if kept:
                kept.clear()
            else:
                kept.append(x.detach_from_dispose_scope())

        alone = largest_batch(step, "64 MiB", steps=1)
        kept.clear()
        found = largest_batch(step, "64 MiB", steps=2)

        assert (alone.batch, found.batch) == (64, 32)
        kept.clear()

    def test_starts_from_what_lives_on_the_device(self, device):
        model = gb.empty(40 * MIB, dtype=gb.uint8, device=device)
        found = largest_batch(
            lambda batch, there: gb.empty(batch * MIB, dtype=gb.uint8, device=there), device
        )

        assert found.batch == 24
        model.dispose()

    def test_may_be_none(self):
        found = largest_batch(
            lambda batch, device: gb.empty(batch * 9 * MIB, dtype=gb.uint8, device=device), "8 MiB"
        )

        assert found.batch == 0
        assert not found.trial.fits
        assert found.trial == found.refused
        assert str(found).startswith("largest batch: 0 (does not fit")

    def test_stops_at_the_most_that_is_asked(self):
        found = largest_batch(
            lambda batch, device: gb.empty(batch, device=device), "8 MiB", at_most=100
        )

        assert (found.batch, found.refused) == (100, None)

    def test_lets_errors_of_the_step_through(self):
        def fail(batch: int, device: gb.device) -> None:
            gb.empty(batch, device=device)
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            largest_batch(fail, "8 MiB")
        SimulatedDevice("8 MiB").close()

    def test_does_not_take_another_devices_failure_for_its_own(self):
        with pytest.raises(gb.OutOfMemoryError, match="asked on cpu"):
            largest_batch(lambda batch, device: gb.empty(1 << 44), "8 MiB")

    @pytest.mark.parametrize("bad", [{"at_most": 0}, {"steps": 0}])
    def test_needs_something_to_try(self, bad):
        with pytest.raises(ValueError, match="1 or more is needed"):
            largest_batch(lambda batch, device: None, "8 MiB", **bad)
