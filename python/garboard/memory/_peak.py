"""The most that lived at once, and the lines that had made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from garboard import _engine

if TYPE_CHECKING:
    from garboard._shown.site import Site

__all__ = ["Peak", "SiteBytes", "peak"]


@dataclass(frozen=True)
class SiteBytes:
    """What the storages born on one line came to.

    Attributes:
        site: The line: `.file`, `.line` and `.function`.
        count: Storages.
        bytes: Of them all.
    """

    site: Site
    count: int
    bytes: int

    def __str__(self) -> str:
        storages = "1 storage" if self.count == 1 else f"{self.count} storages"
        return f"{_engine.human_bytes(self.bytes)} in {storages}, born at {self.site}"


@dataclass(frozen=True)
class Peak:
    """The moment in which a device had the most live bytes; the first of several equal ones.

    Attributes:
        device: Its name.
        bytes: The live bytes then, as in `max_memory_allocated`.
        step: The step of the leak watcher or optimizer in which it was; 0 without one.
        by_site: Which lines held how much then, the most first. They add up to `bytes`.
    """

    device: str
    bytes: int
    step: int
    by_site: tuple[SiteBytes, ...]

    def __str__(self) -> str:
        head = f"peak of {self.device}: {_engine.human_bytes(self.bytes)} in step {self.step}"
        return "\n".join([head, *(f"  {part}" for part in self.by_site)])


def peak(device: str | _engine.device | None = None) -> Peak:
    """Return who held how much when the most bytes were live since the last reset.

    Always on: births are compared with one mark, and of what lived at the peak only what ends
    later is written down, by line. `reset_peak_memory_stats` begins anew with what is live.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> gb.memory.reset_peak_memory_stats()
    >>> before = gb.memory.peak().bytes
    >>> brief = gb.ones(1000, 1000) * 2
    >>> del brief
    >>> gb.memory.peak().bytes - before
    8000000
    """
    from garboard._shown.site import site_of

    bytes_, step, rows = _engine._peak(device)
    by_line: dict[Site, tuple[int, int]] = {}  # a line may have been interned more than once
    for number, count, size in rows:
        site = site_of(number)
        had = by_line.get(site, (0, 0))
        by_line[site] = (had[0] + count, had[1] + size)
    parts = [SiteBytes(site, *counted) for site, counted in by_line.items()]
    parts.sort(key=lambda part: -part.bytes)
    return Peak(str(_engine.device(device or "cpu")), bytes_, step, tuple(parts))
