"""How long a statement takes: Python's `timeit`, with PyTorch's names and a readable answer."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from statistics import mean, median, quantiles
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._names.missing import module_getattr

__all__ = ["Measurement", "Timer"]

_UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))


class Measurement:
    """How long a statement took, in seconds a run.

    Args:
        number_per_run: How often the statement ran in each measurement.
        raw_times: The seconds of each measurement, of all its runs together.
        label: What was measured.

    >>> gb.utils.benchmark.Measurement(10, [1.0, 3.0], "exp").median
    0.2
    """

    def __init__(self, number_per_run: int, raw_times: list[float], label: str = "") -> None:
        self.number_per_run: int = number_per_run
        self.raw_times: list[float] = raw_times
        self.title: str = label

    @property
    def times(self) -> list[float]:
        """The seconds of one run, by measurement."""
        return [it / self.number_per_run for it in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean of `times`."""
        return mean(self.times)

    @property
    def median(self) -> float:
        """The median of `times`."""
        return median(self.times)

    @property
    def iqr(self) -> float:
        """How far apart the quartiles of `times` are; 0 of one measurement."""
        if len(self.raw_times) < 2:
            return 0.0
        first, _, third = quantiles(self.times, n=4, method="inclusive")
        return third - first

    def __repr__(self) -> str:
        unit, worth = next((it for it in _UNITS if self.median >= it[1]), ("ns", 1e-9))
        spread = f", IQR {self.iqr / worth:.2f} {unit}" if len(self.raw_times) > 1 else ""
        runs = f"{len(self.raw_times)} x {self.number_per_run} runs"
        return f"{self.title}: median {self.median / worth:.2f} {unit}{spread}, {runs}"


class Timer:
    """Times a statement; what runs on a GPU is waited for.

    Args:
        stmt: Python code.
        setup: Code that runs once before it.
        timer: What tells the time in seconds.
        globals: The names that the code knows.
        label: What is measured, for the answer; `stmt` by default.
        sub_label: More of that.
        description: Likewise.
        num_threads: How many threads ops use meanwhile.

    Raises:
        TypeError: A text is none, or `num_threads` is no integer.
        ValueError: `num_threads` is below 1.

    >>> timer = gb.utils.benchmark.Timer("x.exp()", globals={"x": gb.ones(10)})
    >>> timer.timeit(3).number_per_run
    3
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        timer: Callable[[], float] = timeit.default_timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        num_threads: int = 1,
    ) -> None:
        code = check.text("Timer", "stmt", stmt)
        self._threads = check.count("Timer", "num_threads", num_threads, 1)
        self._label = " ".join(it for it in (label or code, sub_label, description) if it)
        clock = check.function("Timer", "timer", timer)
        self._timer = timeit.Timer(
            code, check.text("Timer", "setup", setup), lambda: _waited(clock), globals
        )

    def _seconds(self, number: int) -> float:
        before = _engine.get_num_threads()
        _engine.set_num_threads(self._threads)
        try:
            return self._timer.timeit(number)
        finally:
            _engine.set_num_threads(before)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Run the statement a number of times, after a hundredth of that to warm up.

        Args:
            number: How often.

        Returns:
            A `Measurement`.

        Raises:
            ValueError: `number` is below 1.
            TypeError: It is no integer.

        >>> len(gb.utils.benchmark.Timer("1 + 1").timeit(5).raw_times)
        1
        """
        count = check.count("timeit", "number", number, 1)
        self._seconds(max(count // 100, 2))
        return Measurement(count, [self._seconds(count)], self._label)

    def blocked_autorange(self, *, min_run_time: float = 0.2) -> Measurement:
        """Run the statement in blocks until some time has passed.

        Args:
            min_run_time: How many seconds, at least.

        Returns:
            A `Measurement`, of one time a block.

        Raises:
            ValueError: The time is negative.
            TypeError: It is no number.

        >>> timer = gb.utils.benchmark.Timer("1 + 1")
        >>> sum(timer.blocked_autorange(min_run_time=0.001).raw_times) >= 0.001
        True
        """
        needed = float(check.rate("blocked_autorange", "min_run_time", min_run_time))
        count = 1
        while (taken := self._seconds(count)) < needed / 1000 and taken < 0.1:
            count *= 10
        times = [self._seconds(count)]
        while sum(times) < needed:
            times.append(self._seconds(count))
        return Measurement(count, times, self._label)

    adaptive_autorange = blocked_autorange


def _waited(clock: Callable[[], float]) -> float:
    from garboard import cuda

    if cuda.is_initialized():
        cuda.synchronize()
    return clock()


if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
