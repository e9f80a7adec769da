"""Hears when a control group's memory runs out, before the kernel ends who is in it.

What the kernel can drop, such as pages of files, does not count: the rest is what it kills for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

__all__ = ["Group", "MemoryNotice", "groups_of_process"]

_NEARLY = 0.95  # of the limit
_EVERY_S = 0.5
_MOUNT = Path("/sys/fs/cgroup")


class Group(NamedTuple):
    """The files of one control group, of either version of the interface."""

    limit: Path
    used: Path
    stat: Path
    droppable: str

    @property
    def share(self) -> float:
        """How much of the limit is taken; 0 where there is none."""
        with suppress(OSError, ValueError):
            limit = int(self.limit.read_text())
            rows = (line.split() for line in self.stat.read_text().splitlines())
            droppable = next((int(row[1]) for row in rows if row[0] == self.droppable), 0)
            return max(int(self.used.read_text()) - droppable, 0) / limit if limit > 0 else 0.0
        return 0.0


def groups_of_process(
    mount: Path = _MOUNT, membership: Path = Path("/proc/self/cgroup")
) -> list[Group]:
    """Return this process's control group and those around it, as far as they can be seen."""
    found = []
    try:
        rows = [line.split(":", 2) for line in membership.read_text().splitlines()]
    except OSError:
        return []
    for row in rows:
        if len(row) != 3 or (row[1] and "memory" not in row[1].split(",")):
            continue
        top = mount / "memory" if row[1] else mount
        inside = Path(row[2].lstrip("/"))
        for part in (inside, *inside.parents):
            found.append(_of_first(top / part) if row[1] else _of_second(top / part))
    return [group for group in dict.fromkeys(found) if group.limit.is_file()]


def _of_first(folder: Path) -> Group:
    limit, used = folder / "memory.limit_in_bytes", folder / "memory.usage_in_bytes"
    return Group(limit, used, folder / "memory.stat", "total_inactive_file")


def _of_second(folder: Path) -> Group:
    limit, used = folder / "memory.max", folder / "memory.current"
    return Group(limit, used, folder / "memory.stat", "inactive_file")


class MemoryNotice:
    """Looks twice a second, on a thread of its own, and calls each time that memory gets scarce.

    Args:
        call: What is called, on that thread.
        groups: Which control groups are looked at; the process's own by default.
    """

    def __init__(self, call: Callable[[], None], groups: Sequence[Group] | None = None) -> None:
        self._call = call
        self._groups = groups_of_process() if groups is None else groups
        self._is_over = threading.Event()
        self._has_called = False

    def start(self) -> None:
        if self._groups:
            name = "garboard-memory-notice"
            threading.Thread(target=self._run, name=name, daemon=True).start()

    def stop(self) -> None:
        self._is_over.set()

    def look(self) -> None:
        """Call if memory has become scarce since it was not."""
        is_scarce = any(group.share >= _NEARLY for group in self._groups)
        if is_scarce and not self._has_called:
            self._call()
        self._has_called = is_scarce

    def _run(self) -> None:
        while not self._is_over.wait(_EVERY_S):
            self.look()
