"""What was recorded: ops with their times and bytes, and every coming and going of memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._shown.notebook import shown_file

if TYPE_CHECKING:
    from garboard._shown.site import Site

    _Raw = tuple[
        int,
        int,
        list[tuple[str, str, int, int, int, int, int, int, int, int]],
        list[tuple[int, int, int, int, str]],
    ]

__all__ = ["MemoryEvent", "OpEvent", "Recorded", "recorded_from"]


@dataclass(eq=False)
class OpEvent:
    """One run of an op, a node of a backward pass or a `record_function`.

    Attributes:
        name: The op's; of a node of a backward pass with " (backward)".
        begin_ns, end_ns: From the beginning of the profile.
        thread: The engine's number of it, from 1.
        parent: The event it ran in, or None.
        children: Those that ran in it, in their order.
        input_shapes: The sizes of the tensors it was given, where `record_shapes` asked for them.
        stack: `file:line function`, the innermost first, where `with_stack` asked for it.
        self_cpu_allocated, self_cpu_freed, self_cuda_allocated, self_cuda_freed: Bytes that came
            and went while it was the innermost event of its thread.
    """

    name: str
    begin_ns: int
    end_ns: int
    thread: int
    input_shapes: str = ""
    stack: tuple[str, ...] = ()
    self_cpu_allocated: int = 0
    self_cpu_freed: int = 0
    self_cuda_allocated: int = 0
    self_cuda_freed: int = 0
    parent: OpEvent | None = None
    children: list[OpEvent] = field(default_factory=list, repr=False)

    @property
    def time_ns(self) -> int:
        """The nanoseconds from its beginning to its end."""
        return self.end_ns - self.begin_ns

    @property
    def self_time_ns(self) -> int:
        """The same without what its children took."""
        return self.time_ns - sum(child.time_ns for child in self.children)

    def total(self, name: str) -> int:
        """Add up one of the `self_` attributes over it and all that ran in it.

        Args:
            name: The attribute without its `self_`, such as "cpu_allocated".

        Returns:
            Bytes.

        Raises:
            ValueError: There is none of that name.

        >>> with gb.profiler.profile(profile_memory=True) as prof:
        ...     with gb.profiler.record_function("both"):
        ...         x = gb.ones(1000) + 1
        >>> prof.events()[0].total("cpu_allocated")
        8000
        """
        asked = check.text("total", "name", name)
        own = f"self_{asked}"
        if own not in vars(self):
            known = [it.removeprefix("self_") for it in vars(self) if it.startswith("self_")]
            raise ValueError(f"total: name {shown(asked)}; one of {', '.join(known)} is needed")
        total, rest = 0, [self]
        while rest:
            event = rest.pop()
            total += int(getattr(event, own))
            rest += event.children
        return total


@dataclass(frozen=True)
class MemoryEvent:
    """A storage came, or went.

    Attributes:
        at_ns: From the beginning of the profile.
        bytes: Negative where it went.
        serial: The storage's number, the same at both ends.
        site: The line where it was born.
        device: Its name.
    """

    at_ns: int
    bytes: int
    serial: int
    site: Site
    device: str


@dataclass
class Recorded:
    """All of one profile; what was live on each device when it began."""

    time_ns: int
    events: list[OpEvent]
    memory: list[MemoryEvent]
    live_before: dict[str, int]


def _shown(line: str) -> str:
    """Return `file:line function` with the number of a notebook's cell for its file."""
    file, _, rest = line.rpartition(":")
    return f"{shown_file(file)}:{rest}"


def recorded_from(raw: _Raw, live_before: dict[str, int]) -> Recorded:
    """Make objects of what the engine hands out."""
    try:
        from garboard._shown.site import site_of
    except ImportError:  # the interpreter ends, and with it a profile that nobody will ask
        return Recorded(0, [], [], live_before)

    begin, end, rows, memory = raw
    events: list[OpEvent] = []
    for name, detail, began, ended, parent, thread, came, went, cuda_came, cuda_went in rows:
        shapes, *stack = detail.split("\n")
        event = OpEvent(
            name,
            began - begin,
            ended - begin,
            thread,
            shapes,
            tuple(map(_shown, stack)),
            came,
            went,
            cuda_came,
            cuda_went,
        )
        if parent >= 0:
            event.parent = events[parent]
            events[parent].children.append(event)
        events.append(event)
    sites = {site: site_of(site) for site in {row[3] for row in memory}}
    moves = [
        MemoryEvent(at - begin, size, serial, sites[site], device)
        for at, size, serial, site, device in memory
    ]
    return Recorded(end - begin, events, moves, live_before)
