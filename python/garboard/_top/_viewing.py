"""The screen of `garboard top`: what lives, by line, scope and device, and how fast it grows."""

from __future__ import annotations

import json
import socket
from collections import deque
from collections.abc import Iterator
from typing import Any

from garboard._arguments.texts import printable
from garboard._engine import human_bytes

__all__ = ["Growth", "answers", "screen"]

_LONGEST = 4 << 20  # bytes of an answer; a longer one is none of ours
_WINDOW = 30  # samples


def answers(client: socket.socket) -> Iterator[dict[str, Any]]:
    """Ask, and yield what comes, until the other side is gone.

    Raises:
        ValueError: What comes is no answer.
        TimeoutError: Nothing comes.
    """
    left = b""
    while True:
        try:
            client.sendall(b"?")
            while b"\n" not in left and (more := client.recv(1 << 16)):
                left += more
                _check_length(left)
        except ConnectionError:
            return
        if b"\n" not in left:
            return
        line, _, left = left.partition(b"\n")
        found = json.loads(line)
        if not isinstance(found, dict) or "sites" not in found:
            raise ValueError(
                "top: the answer is of another form; the same garboard is needed there"
            )
        yield found


def _check_length(answer: bytes) -> None:
    if len(answer) > _LONGEST:
        raise ValueError("top: the answer has no end; the same garboard is needed there")


class Growth:
    """Live bytes by line over the last samples, and what they grow by in a step or a second."""

    def __init__(self) -> None:
        self._samples: deque[dict[str, Any]] = deque(maxlen=_WINDOW)

    def __bool__(self) -> bool:
        return bool(self._samples)

    def take(self, sample: dict[str, Any]) -> None:
        """Take the next sample."""
        self._samples.append(sample)

    @property
    def unit(self) -> str:
        """What growth is told by: a step where any were counted."""
        return "step" if self._steps else "s"

    @property
    def _steps(self) -> int:
        steps: int = self._samples[-1]["step"] - self._samples[0]["step"]
        return steps

    def of(self, part: str) -> dict[str, float]:
        """Return bytes a step, or a second, for each line of a part, which is "sites" or "scopes".

        What was not there at first, or was too small to be listed, has grown from 0.
        """
        first, last = self._samples[0], self._samples[-1]
        over = self._steps or (last["time_s"] - first["time_s"])
        if not over:
            return {}
        before = {name: nbytes for name, _, nbytes in first[part]}
        return {name: (nbytes - before.get(name, 0)) / over for name, _, nbytes in last[part]}


def screen(sample: dict[str, Any], growth: Growth, rows: int) -> Any:
    """Return what rich shows of a sample in so many lines of a terminal."""
    from rich.console import Group
    from rich.text import Text

    title = Text("garboard top", "bold")
    title.append(f"  pid {sample['pid']}  {printable(sample['program'])}", "default")
    counts = Text(
        f"step {sample['step']}  {sample['aliases']} tensors  {sample['storages']} storages  "
        f"{sample['nodes']} graph nodes",
        "dim",
    )
    devices = _devices(sample["devices"])
    left = max(rows - 8 - len(sample["devices"]), 6)
    scopes = min(len(sample["scopes"]), left // 3)
    parts = [title, counts, devices, _lines("born at", "sites", sample, growth, left - scopes)]
    if scopes:
        parts.append(_lines("ends with scope", "scopes", sample, growth, scopes))
    return Group(*parts)


def _devices(devices: dict[str, dict[str, int | None]]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold cyan")
    table.add_column("device")
    for name in ("live", "peak", "cached", "reserved", "limit"):
        table.add_column(name, justify="right")
    table.add_column("full", justify="right")
    for name, it in sorted(devices.items()):
        limit = it["limit"]
        full = f"{100 * (it['live'] or 0) / limit:.0f} %" if limit else "-"
        texts = [human_bytes(it[key] or 0) for key in ("live", "peak", "cached", "reserved")]
        table.add_row(printable(name), *texts, human_bytes(limit) if limit else "-", full)
    return table


def _lines(head: str, part: str, sample: dict[str, Any], growth: Growth, rows: int) -> Any:
    from rich.table import Table
    from rich.text import Text

    rates = growth.of(part)
    table = Table(box=None, pad_edge=False, header_style="bold cyan")
    table.add_column("live", justify="right", min_width=10)
    table.add_column("tensors", justify="right", min_width=8)
    table.add_column(f"growth/{growth.unit}", justify="right", min_width=14)
    table.add_column(head, no_wrap=True)
    for name, count, nbytes in sample[part][:rows]:
        rate = rates.get(name, 0.0)
        sign = "+" if rate > 0 else "-"
        told = f"{sign}{human_bytes(round(abs(rate)))}" if abs(rate) >= 1 else ""
        style = "bold red" if rate >= 1 else "green" if rate <= -1 else ""
        name = printable(name) or "no scope"
        table.add_row(human_bytes(nbytes), str(count), Text(told, style), Text(name))
    return table
