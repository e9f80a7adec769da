"""Events added up by name, sorted and shown as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from garboard._arguments import check
from garboard._arguments.given import list_of
from garboard._arguments.texts import printable, shown
from garboard._engine import human_bytes
from garboard.profiler._events import MemoryEvent, OpEvent

__all__ = ["EventAverage", "EventAverages", "averages_of"]

_SIZES = ("cpu_allocated", "cpu_freed", "cuda_allocated", "cuda_freed")


@dataclass
class EventAverage:
    """All events of one name (and shapes, and stack, where they were asked for).

    Times are in microseconds, memory in bytes. `self_` leaves out what ran inside; without it,
    events that ran inside one of the same name count once. `*_memory_usage` is what was allocated
    less what was freed.

    Attributes:
        key: The name.
        count: Events.
        input_shapes: The sizes that they have in common, if they were told apart by them.
        stack: The innermost lines that they have in common, likewise.
        cpu_time_total, self_cpu_time_total: Time.
        cpu_allocated, cpu_freed, self_cpu_allocated, self_cpu_freed: Memory of the CPU.
        cuda_allocated, cuda_freed, self_cuda_allocated, self_cuda_freed: Memory of CUDA devices.
    """

    key: str
    count: int = 0
    input_shapes: str = ""
    stack: tuple[str, ...] = ()
    cpu_time_total: float = 0
    self_cpu_time_total: float = 0
    cpu_allocated: int = 0
    cpu_freed: int = 0
    cuda_allocated: int = 0
    cuda_freed: int = 0
    self_cpu_allocated: int = 0
    self_cpu_freed: int = 0
    self_cuda_allocated: int = 0
    self_cuda_freed: int = 0

    @property
    def cpu_time(self) -> float:
        """The mean time of its events, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time_total(self) -> float:
        """The microseconds on a device: 0, since a profile times the CPU alone."""
        return 0.0

    @property
    def self_device_time_total(self) -> float:
        """The same without what ran inside."""
        return 0.0

    @property
    def device_time(self) -> float:
        """The mean of its events' times on a device, likewise."""
        return 0.0

    @property
    def cpu_memory_usage(self) -> int:
        """The bytes that it allocated on the CPU, less what it freed."""
        return self.cpu_allocated - self.cpu_freed

    @property
    def self_cpu_memory_usage(self) -> int:
        """The same without what ran inside."""
        return self.self_cpu_allocated - self.self_cpu_freed

    @property
    def cuda_memory_usage(self) -> int:
        """The bytes that it allocated on CUDA devices, less what it freed."""
        return self.cuda_allocated - self.cuda_freed

    @property
    def self_cuda_memory_usage(self) -> int:
        """The same without what ran inside."""
        return self.self_cuda_allocated - self.self_cuda_freed


# What a table can be sorted by; PyTorch's newer names mean the same.
_SORT_KEYS = (
    "count",
    "cpu_time",
    "cpu_time_total",
    "self_cpu_time_total",
    "device_time",
    "device_time_total",
    "self_device_time_total",
    *(f"{prefix}{size}" for prefix in ("", "self_") for size in _SIZES),
    *(f"{prefix}{device}_memory_usage" for prefix in ("", "self_") for device in ("cpu", "cuda")),
)
_ALIASES = {
    "device_memory_usage": "cuda_memory_usage",
    "self_device_memory_usage": "self_cuda_memory_usage",
    **{
        name.replace("device", "cuda"): name
        for name in ("device_time", "device_time_total", "self_device_time_total")
    },
}


_Column = tuple[str, Callable[[EventAverage], str]]


class EventAverages(Sequence[EventAverage]):
    """What `profile.key_averages()` gives: a sequence, in the order of first events.

    Args:
        averages: What it is made of.
        time_ns: How long the profile took.
        has_memory: Whether memory was recorded.
    """

    def __init__(self, averages: Iterable[EventAverage], time_ns: int, has_memory: bool) -> None:
        self._averages = list_of(EventAverage, "EventAverages", "averages", averages, "averages")
        self._time_us = time_ns / 1000
        self._has_memory = has_memory

    def __len__(self) -> int:
        return len(self._averages)

    @overload
    def __getitem__(self, index: int) -> EventAverage: ...
    @overload
    def __getitem__(self, index: slice) -> list[EventAverage]: ...
    def __getitem__(self, index: int | slice) -> EventAverage | list[EventAverage]:
        return self._averages[index]

    @property
    def self_cpu_time_total(self) -> float:
        """The microseconds in all events."""
        return sum(average.self_cpu_time_total for average in self._averages)

    def total_average(self) -> EventAverage:
        """Add up what is every event's own.

        Returns:
            An EventAverage of the name "Total".

        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3) * 2
        >>> prof.key_averages().total_average().count
        2
        """
        total = EventAverage("Total")
        for average in self._averages:
            total.count += average.count
            total.self_cpu_time_total += average.self_cpu_time_total
            for size in _SIZES:
                own = getattr(total, f"self_{size}") + getattr(average, f"self_{size}")
                setattr(total, f"self_{size}", own)
                setattr(total, size, own)
        total.cpu_time_total = total.self_cpu_time_total
        return total

    def sorted_by(self, key: str) -> list[EventAverage]:
        """Return the averages, the largest `key` first.

        Args:
            key: The name of a number of `EventAverage`.

        Raises:
            ValueError: There is no such key.

        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3) * 2 * 2
        >>> [average.key for average in prof.key_averages().sorted_by("count")]
        ['mul', 'ones']
        """
        known = ", ".join((*_SORT_KEYS, *_ALIASES))
        name = _ALIASES.get(key, key) if isinstance(key, str) else ""
        if name not in _SORT_KEYS:
            raise ValueError(f"table: sort_by {shown(key)}; one of {known} is needed")
        return sorted(self._averages, key=lambda average: -getattr(average, name))

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_name_column_width: int = 55,
        header: str | None = None,
    ) -> str:
        """Return the averages as text, one a line.

        Args:
            sort_by: The name of a number of `EventAverage`, the largest first; by default the
                order in which they began.
            row_limit: The most lines; -1 for all.
            max_name_column_width: In characters.
            header: A line to put on top.

        Raises:
            TypeError: An argument of another type.
            ValueError: `sort_by` is no such name; a width below 0.

        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3)
        >>> print(prof.key_averages().table())
        -...
        Name  Self CPU % ... # of Calls
        -...
        ones ... 1
        -...
        Self CPU time total: ...us
        """
        rows = self.sorted_by(sort_by) if sort_by is not None else list(self._averages)
        most = check.integer("table", "row_limit", row_limit)
        width = check.count("table", "max_name_column_width", max_name_column_width)
        title = "" if header is None else printable(check.text("table", "header", header))
        if most >= 0:
            rows = rows[:most]
        columns = self._columns()
        numbers = range(1, [title for title, _ in columns].index("# of Calls") + 1)
        cells = [[title for title, _ in columns]]
        cells += [[render(row) for _, render in columns] for row in rows]
        cells = [[line[0][:width], *line[1:]] for line in cells]
        widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]

        def joined(line: list[str]) -> str:
            parts = (
                cell.rjust(widths[i]) if i in numbers else cell.ljust(widths[i])
                for i, cell in enumerate(line)
            )
            return "  ".join(parts).rstrip()

        ruler = "  ".join("-" * width for width in widths)
        top = [title, ruler] if title else [ruler]
        foot = [ruler, f"Self CPU time total: {_time(self.self_cpu_time_total)}"]
        return "\n".join([*top, joined(cells[0]), ruler, *map(joined, cells[1:]), *foot])

    def _columns(self) -> list[_Column]:
        whole = self._time_us or 1.0
        columns: list[_Column] = [
            ("Name", lambda row: row.key),
            ("Self CPU %", lambda row: f"{100 * row.self_cpu_time_total / whole:.2f}%"),
            ("Self CPU", lambda row: _time(row.self_cpu_time_total)),
            ("CPU total %", lambda row: f"{100 * row.cpu_time_total / whole:.2f}%"),
            ("CPU total", lambda row: _time(row.cpu_time_total)),
            ("CPU time avg", lambda row: _time(row.cpu_time)),
        ]
        if self._has_memory:
            columns += _memory_columns("CPU", "cpu")
            if any(row.cuda_allocated or row.cuda_freed for row in self._averages):
                columns += _memory_columns("CUDA", "cuda")
        columns.append(("# of Calls", lambda row: str(row.count)))
        if any(row.input_shapes for row in self._averages):
            columns.append(("Input Shapes", lambda row: row.input_shapes))
        if any(row.stack for row in self._averages):
            columns.append(("Source Location", lambda row: row.stack[0] if row.stack else ""))
        return columns

    def __str__(self) -> str:
        return self.table()


def _memory_columns(title: str, device: str) -> list[_Column]:
    return [
        (f"{title} Mem", lambda row: _bytes(getattr(row, f"{device}_memory_usage"))),
        (f"Self {title} Mem", lambda row: _bytes(getattr(row, f"self_{device}_memory_usage"))),
        (f"Self {title} Alloc", lambda row: _bytes(getattr(row, f"self_{device}_allocated"))),
        (f"Self {title} Freed", lambda row: _bytes(getattr(row, f"self_{device}_freed"))),
    ]


def _bytes(count: int) -> str:
    return human_bytes(count) if count >= 0 else f"-{human_bytes(-count)}"


def _time(us: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.3f}{unit}"
    return f"{us:.3f}us"


def averages_of(
    events: Sequence[OpEvent],
    memory: Sequence[MemoryEvent],
    by_shape: bool = False,
    stack_depth: int = 0,
) -> list[EventAverage]:
    """Add events up by name, and by shapes and the innermost lines where they are asked for.

    What came and went outside every event stands under "[memory]".
    """
    found: dict[tuple[object, ...], EventAverage] = {}
    keys: dict[OpEvent, tuple[object, ...]] = {}
    for event in events:
        shapes, stack = event.input_shapes if by_shape else "", event.stack[:stack_depth]
        key = keys[event] = (event.name, shapes, stack)
        average = found.setdefault(key, EventAverage(event.name, 0, shapes, stack))
        average.count += 1
        average.self_cpu_time_total += event.self_time_ns / 1000
        around, is_outermost = event.parent, True
        while around is not None and is_outermost:
            is_outermost, around = keys[around] != key, around.parent
        if is_outermost:
            average.cpu_time_total += event.time_ns / 1000
        for size in _SIZES:
            own = getattr(event, f"self_{size}")
            setattr(average, f"self_{size}", getattr(average, f"self_{size}") + own)
            if is_outermost:
                setattr(average, size, getattr(average, size) + event.total(size))
    outside = _outside(events, memory)
    return [*found.values(), *([outside] if outside.count else [])]


def _outside(events: Sequence[OpEvent], memory: Sequence[MemoryEvent]) -> EventAverage:
    outside = EventAverage("[memory]")
    for size in _SIZES:
        device, _, kind = size.partition("_")
        moved = sum(
            abs(it.bytes)
            for it in memory
            if it.device.startswith(device) and (it.bytes > 0) == (kind == "allocated")
        )
        rest = moved - sum(getattr(event, f"self_{size}") for event in events)
        setattr(outside, size, rest)
        setattr(outside, f"self_{size}", rest)
        outside.count += rest > 0
    return outside
