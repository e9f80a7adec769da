"""How long a statement takes: Python's `timeit`, with PyTorch's names and a readable answer."""

from __future__ import annotations

import timeit
from collections.abc import Callable, Iterable
from statistics import mean, median, quantiles
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import list_of
from garboard._names.missing import module_getattr

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer"]

_UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))


class TaskSpec(NamedTuple):
    """What was measured.

    >>> gb.utils.benchmark.TaskSpec("x + 1", label="sums", description="ones").title
    'sums: ones'
    """

    stmt: str
    setup: str = "pass"
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement, and what more is said."""
        more = " ".join(it for it in (self.sub_label, self.description) if it)
        return f"{self.label or self.stmt}: {more}" if more else self.label or self.stmt


class Measurement:
    """How long a statement took, in seconds a run.

    Args:
        number_per_run: How often the statement ran in each measurement.
        raw_times: The seconds of each measurement, of all its runs together.
        task_spec: What was measured, or its name.

    >>> gb.utils.benchmark.Measurement(10, [1.0, 3.0], "exp").median
    0.2
    """

    def __init__(
        self, number_per_run: int, raw_times: list[float], task_spec: TaskSpec | str = ""
    ) -> None:
        self.number_per_run: int = number_per_run
        self.raw_times: list[float] = raw_times
        self.task_spec: TaskSpec = (
            task_spec if isinstance(task_spec, TaskSpec) else TaskSpec(str(task_spec))
        )
        self.has_warnings: bool = False

    @property
    def title(self) -> str:
        """What was measured, in a line."""
        return self.task_spec.title

    @property
    def num_threads(self) -> int:
        """How many threads ops used."""
        return self.task_spec.num_threads

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
        unit, worth = _unit_of(self.median)
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
        code = dedent(check.text("Timer", "stmt", stmt)).strip()
        begin = dedent(check.text("Timer", "setup", setup)).strip()
        self._threads = check.count("Timer", "num_threads", num_threads, 1)
        self._spec = TaskSpec(code, setup, label, sub_label, description, self._threads)
        clock = check.function("Timer", "timer", timer)
        self._timer = timeit.Timer(code, begin, lambda: _waited(clock), globals)

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
        return Measurement(count, [self._seconds(count)], self._spec)

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
        return Measurement(count, times, self._spec)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0
    ) -> Measurement:
        """Run the statement in blocks until their times agree, or some time has passed.

        Args:
            threshold: Which share of the median their middle half may spread over.
            min_run_time: How many seconds, at least.
            max_run_time: And at most.

        Returns:
            A `Measurement`, of one time a block.

        Raises:
            ValueError: A time or share is negative.
            TypeError: It is no number.

        >>> timer = gb.utils.benchmark.Timer("1 + 1")
        >>> len(timer.adaptive_autorange(max_run_time=0.05).raw_times) >= 1
        True
        """
        op = "adaptive_autorange"
        spread = float(check.rate(op, "threshold", threshold))
        least, most = (
            float(check.rate(op, name, given))
            for name, given in (("min_run_time", min_run_time), ("max_run_time", max_run_time))
        )
        found = self.blocked_autorange(min_run_time=min(least, most))
        times = found.raw_times
        while sum(times) < most and (len(times) < 4 or found.iqr > spread * found.median):
            times.append(self._seconds(found.number_per_run))
            found = Measurement(found.number_per_run, times, self._spec)
        return found


class Compare:
    """Measurements side by side: a table a label, a row a sub-label, a column a description.

    Args:
        results: Measurements; of several of one place the median counts.

    Raises:
        TypeError: Something is none.

    >>> specs = [gb.utils.benchmark.TaskSpec("f", "", "sums", "ones", it) for it in ("old", "new")]
    >>> taken = zip((2.0, 1.0), specs)
    >>> results = [gb.utils.benchmark.Measurement(1, [it * 1e-3], spec) for it, spec in taken]
    >>> print(gb.utils.benchmark.Compare(results))
    [-------- sums -------]
              |  old |  new
    1 threads:
        ones  |  2.0 |  1.0
    Times are in ms.
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._digits = 1
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements.

        Args:
            results: Of any label.

        Raises:
            TypeError: Something is no Measurement.

        >>> gb.utils.benchmark.Compare([]).extend_results([])
        """
        self._results += list_of(Measurement, "Compare", "results", results, "Measurements")

    def trim_significant_figures(self) -> None:
        """Show whole numbers.

        >>> gb.utils.benchmark.Compare([]).trim_significant_figures()
        """
        self._digits = 0

    def colorize(self, rowwise: bool = False) -> None:
        """Take what PyTorch takes; a table here has no colours.

        Args:
            rowwise: Without effect.

        Raises:
            TypeError: It is not True or False.

        >>> gb.utils.benchmark.Compare([]).colorize()
        """
        check.flag("colorize", "rowwise", rowwise)

    def highlight_warnings(self) -> None:
        """Do nothing: measurements here carry no warnings.

        >>> gb.utils.benchmark.Compare([]).highlight_warnings()
        """

    def print(self) -> None:
        """Print the tables.

        >>> gb.utils.benchmark.Compare([]).print()
        <BLANKLINE>
        """
        print(self)

    def __str__(self) -> str:
        labels = dict.fromkeys(it.task_spec.label or it.task_spec.stmt for it in self._results)
        return "\n\n".join(map(self._table, labels))

    def _table(self, label: str) -> str:
        ours = [it for it in self._results if (it.task_spec.label or it.task_spec.stmt) == label]
        unit, worth = _unit_of(min(it.median for it in ours))
        cells: dict[tuple[int, str, str], list[float]] = {}
        for it in ours:
            spec = it.task_spec
            place = spec.num_threads, spec.sub_label or spec.stmt, spec.description or ""
            cells.setdefault(place, []).append(it.median / worth)
        columns = list(dict.fromkeys(column for _, _, column in cells))
        rows = sorted(dict.fromkeys(place[:2] for place in cells), key=lambda row: row[0])
        texts = {place: f"{median(it):.{self._digits}f}" for place, it in cells.items()}
        width = max(len(it) for it in (*columns, *texts.values()))
        head = max(len(row) for _, row in rows) + 6
        lines = [" " * head + "".join(f"|  {it:>{width}} " for it in columns)]
        before = None
        for threads, row in rows:
            if threads != before:
                lines.append(f"{threads} threads:")
                before = threads
            taken = (texts.get((threads, row, it), "") for it in columns)
            told = "".join(f"|  {it:>{width}} " for it in taken)
            lines.append(f"    {row}".ljust(head) + told)
        lines = [it.rstrip() for it in lines]
        rule = f" {label} ".center(max(map(len, lines)) - 2, "-")
        return "\n".join([f"[{rule}]", *lines, f"Times are in {unit}."])


def _unit_of(seconds: float) -> tuple[str, float]:
    return next((it for it in _UNITS if seconds >= it[1]), ("ns", 1e-9))


def _waited(clock: Callable[[], float]) -> float:
    if _engine._is_cuda_open():
        _engine._cuda_synchronize(_engine._current_cuda_device())
    return clock()


if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
