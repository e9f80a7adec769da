"""A device that one does not have: its memory, exactly, and none of its work."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from garboard import _engine
from garboard._arguments import check
from garboard._engine import human_bytes, parse_bytes
from garboard.memory._log import LoggedEvent

__all__ = ["LargestBatch", "SimulatedDevice", "Trial", "largest_batch"]


@dataclass(frozen=True)
class Trial:
    """What one run took of a device's memory.

    Attributes:
        fits: False where memory ran out.
        peak_bytes: The most that was live.
        peak_reserved_bytes: The most that was held, in use or cached.
        report: Why memory ran out, as in `OutOfMemoryError.report`; None where it fits.
    """

    fits: bool
    peak_bytes: int
    peak_reserved_bytes: int
    report: str | None = None

    @property
    def fragmentation(self) -> float:
        """The share of the memory held at the most that was beyond the most live; 0 is none."""
        if not self.peak_reserved_bytes:
            return 0.0
        return max(0.0, 1 - self.peak_bytes / self.peak_reserved_bytes)

    def __str__(self) -> str:
        took = f"{human_bytes(self.peak_bytes)} live, {human_bytes(self.peak_reserved_bytes)} held"
        return f"fits: {took}" if self.fits else f"does not fit: {took} when memory ran out"


class SimulatedDevice(_engine.device):
    """A device of any capacity on which tensors take memory and ops do nothing.

    Tensors, graphs, scopes and the allocator are those of every device, so sizes, peaks,
    fragmentation and `OutOfMemoryError` are what a GPU of that capacity would see from this
    library; what a GPU's own kernels borrow while they run is not in them. Nothing is computed:
    copied to another device, and by `item()`, elements read as 0, so a program whose shapes
    depend on values takes the way of zeros.

    At most four are open at a time. All that lives on a device must have ended before `close`.

    Args:
        capacity: Bytes, or text such as "24 GiB".
        taken: The part of them that others hold: a driver, another process.

    Raises:
        DeviceError: Four are open, or less than 2 MiB would be free.
        GarboardError: A text names no bytes.

    >>> with gb.memory.SimulatedDevice("24 GiB") as device:
    ...     with gb.dispose_scope():
    ...         x = gb.zeros(1 << 30, device=device)
    ...         gb.memory.human_bytes(gb.memory.memory_allocated(device))
    '4.0 GiB'
    """

    def __new__(cls, capacity: int | str, *, taken: int | str = 0) -> Self:
        capacity_bytes, taken_bytes = (_bytes_of(it) for it in (capacity, taken))
        number = _engine._open_simulated_device(capacity_bytes, taken_bytes)
        return super().__new__(cls, f"simulated:{number}")

    def __init__(self, capacity: int | str, *, taken: int | str = 0) -> None:
        self._capacity_bytes, self._taken_bytes = _bytes_of(capacity), _bytes_of(taken)
        assert self.index is not None
        self._number = self.index
        self._end = weakref.finalize(self, _engine._abandon_simulated_device, self._number)

    @property
    def capacity_bytes(self) -> int:
        """The bytes that the device has."""
        return self._capacity_bytes

    @property
    def taken_bytes(self) -> int:
        """The part of them that others hold."""
        return self._taken_bytes

    def close(self) -> None:
        """End the device. Idempotent.

        Raises:
            DeviceError: Something lives on it; it stays open.

        >>> device = gb.memory.SimulatedDevice("64 MiB")
        >>> device.close()
        """
        if self._end.alive:
            _engine._close_simulated_device(self._number)
            self._end.detach()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._end()  # the traceback may hold tensors: the device goes when they are gone

    def replay(self, events: Iterable[LoggedEvent]) -> Trial:
        """Allocate and free here what a program did elsewhere, as `read_allocation_log` gives it.

        Freed memory that the log does not show to be allocated is left out, as are recorded
        failures. What is allocated at the end is freed.

        Args:
            events: In their order; read one by one.

        Returns:
            A Trial: whether it fits, and what it took.

        Raises:
            DeviceError: The device is closed.

        >>> log = [gb.memory.LoggedEvent(1, 0, "allocate", 0x1000, 3 << 20, 0)]
        >>> with gb.memory.SimulatedDevice("64 MiB") as device:
        ...     print(device.replay(log))
        fits: 3.0 MiB live, 4.0 MiB held
        """

        def play() -> None:
            held: dict[int, _engine.Tensor] = {}
            for place, event in enumerate(events):
                check.of_type(LoggedEvent, "replay", f"event {place}", event)
                if event.action == "allocate" and event.size:
                    held.pop(event.pointer, None)
                    held[event.pointer] = _engine.empty(
                        event.size, dtype=_engine.uint8, device=self
                    )
                elif event.action == "free":
                    held.pop(event.pointer, None)

        return _try(self, play)


@dataclass(frozen=True)
class LargestBatch:
    """The largest batch whose step fits.

    Attributes:
        batch: Its size; 0 where not even 1 fits.
        trial: What its steps took; of a batch of 1 where that does not fit.
        refused: Why one more does not fit; None where `at_most` does.
        tried: Each size that was tried, in order, and whether it fitted.
    """

    batch: int
    trial: Trial
    refused: Trial | None
    tried: tuple[tuple[int, bool], ...]

    def __str__(self) -> str:
        head = f"largest batch: {self.batch} ({self.trial})"
        if self.refused is None or not self.batch:
            return head
        return f"{head}\n{self.batch + 1} does not fit:\n{self.refused.report}"


def largest_batch(
    step: Callable[[int, SimulatedDevice], object],
    capacity: int | str | SimulatedDevice,
    *,
    at_most: int = 1 << 20,
    steps: int = 2,
) -> LargestBatch:
    """Find the largest batch with which a training step fits into a memory of `capacity`.

    Runs `step(batch, device)` with batches of 1, 2, 4, ... until memory runs out, then of half the
    way, on a `SimulatedDevice`: without arithmetic, in the time of its allocations. Each try runs
    in a dispose scope and begins with an empty cache; what outlives its scope, as a model and its
    optimizer that were made before, stays. A batch is taken to fit wherever a larger one does.

    Args:
        step: Makes its tensors on the device it is given. What it returns is dropped.
        capacity: Bytes, text such as "24 GiB", or a device with what lives there already.
        at_most: The largest batch to try.
        steps: How often a try runs the step: the second meets optimizer state, and a used cache.

    Returns:
        The batch, what it took, and the report of the first one that does not fit.

    Raises:
        TypeError: `at_most` or `steps` is no integer, or `step` cannot be called.
        ValueError: `at_most` or `steps` is less than 1.
        OutOfMemoryError: Memory of another device ran out.
        DeviceError: No simulated device can be opened.

    >>> def step(batch, device):
    ...     model = gb.nn.Linear(1024, 1024).to(device)
    ...     model(gb.zeros(batch, 1024, device=device)).sum().backward()
    >>> found = gb.memory.largest_batch(step, "64 MiB")
    >>> found.batch
    7424
    """
    check.function("largest_batch", "step", step)
    at_most = check.count("largest_batch", "at_most", at_most, least=1)
    steps = check.count("largest_batch", "steps", steps, least=1)
    if not isinstance(capacity, SimulatedDevice):
        device = SimulatedDevice(capacity)
        try:
            return largest_batch(step, device, at_most=at_most, steps=steps)
        finally:
            device._end()
    device = capacity
    trials: dict[int, Trial] = {}

    def fits(batch: int) -> bool:
        def run() -> None:
            for _ in range(steps):
                with _engine.DisposeScope("largest_batch"):
                    step(batch, device)

        trials[batch] = _try(device, run)
        return trials[batch].fits

    good, bad = 0, 1
    while fits(bad):
        good = bad
        if good == at_most:
            break
        bad = min(2 * bad, at_most)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return LargestBatch(
        good,
        trials[good or 1],
        None if good == bad else trials[bad],
        tuple((batch, trial.fits) for batch, trial in trials.items()),
    )


def _try(device: SimulatedDevice, run: Callable[[], None]) -> Trial:
    """Run in a scope, with an empty cache, and tell what it took of the device."""
    gc.collect()  # what an earlier try left in cycles is not this one's
    _engine._empty_cache(device)
    _engine._reset_peaks(device)
    failures = _engine._memory_stats(device)["out_of_memory_count"]
    report = None
    try:
        with _engine.DisposeScope("trial"):
            run()
    except _engine.OutOfMemoryError as error:
        if _engine._memory_stats(device)["out_of_memory_count"] == failures:
            raise
        report = error.report
    stats = _engine._memory_stats(device)
    return Trial(
        report is None, int(stats["peak_live_bytes"]), int(stats["peak_reserved_bytes"]), report
    )


def _bytes_of(given: int | str) -> int:
    return parse_bytes(given) if isinstance(given, str) else given
