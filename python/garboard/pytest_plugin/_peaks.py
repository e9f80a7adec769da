"""What tests need at most: the marker `limit_memory` and the list of the largest tests.

Both look at the bytes that live at once while the test's own call runs, above those that lived when
it began; what its fixtures made before is not the test's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

__all__ = ["MARKER", "Peaks", "add_options"]

MARKER = (
    "limit_memory(limit): fail the test if more bytes live at once while it runs, above those that "
    "lived when it began; a number, or a text such as '200 MiB'."
)
_PROPERTY = "peak_bytes"
_MOST_LINES = 3


def add_options(group: Any) -> None:
    """Add what the list can be told."""
    group.addoption(
        "--memory-peaks",
        type=int,
        default=0,
        metavar="N",
        help="list the N tests in which the most bytes lived at once",
    )


class Peaks:
    """The hooks; a plugin of its own, registered by ours."""

    def __init__(self, most: int) -> None:
        self._most = most

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Measure a test that has a limit, or all where the largest are asked for."""
        marker = item.get_closest_marker("limit_memory")
        if marker is None and self._most <= 0:
            return (yield)
        limit = _limit_of(marker) if marker is not None else None
        before = _begin()
        result = yield  # a test that raises says more by what it raises
        bytes_, device = max((_peak_bytes(name) - had, name) for name, had in before.items())
        item.user_properties.append((_PROPERTY, max(bytes_, 0)))
        if limit is not None and bytes_ > limit:
            pytest.fail(_text(bytes_, limit, device), pytrace=False)
        return result

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """List the largest, as `--durations` does the slowest."""
        found = [
            (value, report.nodeid)
            for outcome in ("passed", "failed")
            for report in terminalreporter.stats.get(outcome, ())
            for name, value in getattr(report, "user_properties", ())
            if name == _PROPERTY and report.when == "call"
        ]
        if not found or self._most <= 0:
            return
        from garboard.memory import human_bytes

        terminalreporter.section(f"largest {min(self._most, len(found))} tests by live bytes")
        for value, nodeid in sorted(found, key=lambda row: (-row[0], row[1]))[: self._most]:
            terminalreporter.write_line(f"{human_bytes(value):>12}  {nodeid}")


def _limit_of(marker: pytest.Mark) -> int:
    from garboard._arguments import check
    from garboard.memory import parse_bytes

    if len(marker.args) + len(marker.kwargs) != 1 or marker.kwargs.keys() - {"limit"}:
        raise TypeError("limit_memory: one limit is needed, such as limit_memory('200 MiB')")
    limit = marker.args[0] if marker.args else marker.kwargs["limit"]
    if isinstance(limit, str):
        return parse_bytes(limit)
    return check.count("limit_memory", "limit", limit)


def _begin() -> dict[str, int]:
    """Begin peaks anew on every open device; return what lives there."""
    from garboard import _engine, memory

    devices = {"cpu", *map(str, _engine._live_counts()[3])}
    for name in devices:
        memory.reset_peak_memory_stats(name)
    return {name: memory.memory_allocated(name) for name in devices}


def _peak_bytes(device: str) -> int:
    from garboard import memory

    return memory.max_memory_allocated(device)


def _text(bytes_: int, limit: int, device: str) -> str:
    from garboard import memory

    found = memory.peak(device)
    lines = [
        f"limit_memory: {memory.human_bytes(bytes_)} more lived at once on {device}; "
        f"{memory.human_bytes(limit)} are allowed",
        *(f"  {part}" for part in found.by_site[:_MOST_LINES]),
    ]
    return "\n".join(lines)
