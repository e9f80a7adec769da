"""The events of a profile, one by one, which print and add up."""

from __future__ import annotations

import os

from garboard._arguments import check
from garboard.profiler._averages import EventAverage, EventAverages, averages_of
from garboard.profiler._events import OpEvent, Recorded

__all__ = ["EventList"]

_OWN = ("self_cpu_allocated", "self_cpu_freed", "self_cuda_allocated", "self_cuda_freed")


class EventList(list[OpEvent]):
    """What `profile.events()` gives: a list, in the order in which the events began.

    Args:
        recorded: The profile's recording.
        has_memory: Whether memory was recorded.

    Raises:
        TypeError: No recording, or no bool.
    """

    def __init__(self, recorded: Recorded, has_memory: bool) -> None:
        self._recorded = check.of_type(Recorded, "EventList", "recorded", recorded)
        self._has_memory = check.flag("EventList", "has_memory", has_memory)
        super().__init__(recorded.events)

    @property
    def self_cpu_time_total(self) -> float:
        """The microseconds of all events, each without what ran in it."""
        return sum(event.self_time_ns for event in self) / 1000

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0
    ) -> EventAverages:
        """Add the events up by name.

        Args:
            group_by_input_shapes: Tell them apart by the sizes of what they were given.
            group_by_stack_n: And by so many of the innermost lines of their stacks.

        Returns:
            An EventAverages, as `profile.key_averages` gives.

        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3) * 2 * 2
        >>> [(average.key, average.count) for average in prof.events().key_averages()]
        [('ones', 1), ('mul', 2)]
        """
        op, it = "key_averages", self._recorded
        by_shape = check.flag(op, "group_by_input_shapes", group_by_input_shapes)
        lines = check.count(op, "group_by_stack_n", group_by_stack_n)
        return EventAverages(
            averages_of(self, it.memory, by_shape, lines), it.time_ns, self._has_memory
        )

    def total_average(self) -> EventAverage:
        """Add all events up.

        Returns:
            An EventAverage named "Total".

        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3) * 2
        >>> prof.events().total_average().count
        2
        """
        return self.key_averages().total_average()

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_name_column_width: int = 55,
        header: str | None = None,
    ) -> str:
        """Return the events as text, one a line: see `EventAverages.table`.

        Args:
            sort_by: The name of a number of `EventAverage`, the largest first; by default the
                order in which they began.
            row_limit: The most lines; -1 for all.
            max_name_column_width: In characters.
            header: A line to put on top.

        Returns:
            The text.

        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3) * 2 * 2
        >>> prof.events().table().count("mul")
        2
        """
        rows = EventAverages(map(_alone, self), self._recorded.time_ns, self._has_memory)
        return rows.table(sort_by, row_limit, max_name_column_width, header)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write what Perfetto and chrome://tracing open: `profile.export_chrome_trace`.

        Args:
            path: Where to; zipped where it ends with .gz.

        Raises:
            OSError: The file cannot be written.

        >>> import tempfile
        >>> with gb.profiler.profile() as prof:
        ...     x = gb.ones(3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     prof.events().export_chrome_trace(f"{folder}/trace.json")
        """
        from garboard.profiler._export import chrome_trace, write_json

        write_json("export_chrome_trace", path, chrome_trace(self._recorded))

    def __str__(self) -> str:
        return self.table()


def _alone(event: OpEvent) -> EventAverage:
    """One event as what it adds up to."""
    row = EventAverage(event.name, 1, event.input_shapes, event.stack)
    row.cpu_time_total = event.time_ns / 1000
    row.self_cpu_time_total = event.self_time_ns / 1000
    for name in _OWN:
        setattr(row, name, getattr(event, name))
        setattr(row, name.removeprefix("self_"), event.total(name.removeprefix("self_")))
    return row
