"""Two reports, or two memory snapshots, side by side: what is new, what is gone, what has grown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from garboard._arguments.texts import printable
from garboard._engine import human_bytes
from garboard.leaks.reports._reading import load_report
from garboard.leaks.reports._report import LeakReport
from garboard.leaks.reports._seen import Stack
from garboard.memory import load_snapshot
from garboard.report._tally import Sites, live_blocks

__all__ = ["compared"]

_MOST_ROWS = 20
_HEAD_BYTES = 4096


def compared(before: str | os.PathLike[str], after: str | os.PathLike[str]) -> tuple[str, bool]:
    """Return what has changed, as text, and whether a leak is new.

    Raises:
        OSError: A file cannot be read.
        ValueError: They are not two reports, or two snapshots.
        SnapshotError: A snapshot breaks a rule.
    """
    files = [Path(before), Path(after)]
    are_reports = [_is_report(file) for file in files]
    if all(are_reports):
        return _of_reports(*(load_report(file) for file in files))
    if any(are_reports):
        raise ValueError(
            f"diff: {printable(str(files[are_reports.index(True)]))} is a leak report and "
            f"{printable(str(files[are_reports.index(False)]))} is none; two of a kind are needed"
        )
    return "\n".join(_changes(*(_by_site(file) for file in files))), False


def _is_report(file: Path) -> bool:
    """Tell by the beginning: a report is JSON and names its schema first."""
    with open(file, "rb") as opened:
        return b'"garboard.leaks/' in opened.read(_HEAD_BYTES)


def _of_reports(before: LeakReport, after: LeakReport) -> tuple[str, bool]:
    old = {leak.fingerprint: leak for leak in before.leaks}
    new = {leak.fingerprint: leak for leak in after.leaks}
    lines = []
    for name, leak in new.items():
        if name not in old:
            lines.append(f"new   {leak.verdict}  {leak.summary}, {leak.site.place}")
    for name, leak in old.items():
        if name not in new:
            lines.append(f"gone  {leak.verdict}  {leak.summary}, {leak.site.place}")
    for name in new.keys() & old.keys():
        lines.append(
            f"still {new[name].verdict}  {new[name].kind} [{name}]: "
            f"{human_bytes(old[name].bytes)} then, {human_bytes(new[name].bytes)} now"
        )
    order = ("new", "gone", "still")
    lines.sort(key=lambda line: (order.index(line.split()[0]), line))
    lines = lines or ["no findings, before or after"]
    if before.seen.after or after.seen.after:
        lines += _changes(_lines(before.seen.after), _lines(after.seen.after))
    has_new = any(it.verdict == "LEAK" and it.fingerprint not in old for it in after.leaks)
    return "\n".join(lines), has_new


def _lines(rows: Sequence[Stack]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        count, nbytes = found.get(str(row.frames[-1]), (0, 0))
        found[str(row.frames[-1])] = count + row.count, nbytes + row.bytes
    return found


def _by_site(file: Path) -> dict[str, tuple[int, int]]:
    snapshot = load_snapshot(file)
    sites = Sites(snapshot)
    found: dict[str, tuple[int, int]] = {}
    for _, size, frames in live_blocks(snapshot["segments"]):
        name = sites.name(frames)
        count, nbytes = found.get(name, (0, 0))
        found[name] = count + 1, nbytes + size
    return found


def _changes(old: dict[str, tuple[int, int]], new: dict[str, tuple[int, int]]) -> list[str]:
    """Return a line for each place whose live bytes differ, the largest difference first."""
    none = (0, 0)
    rows = []
    for name in old.keys() | new.keys():
        (count, nbytes), (count_now, nbytes_now) = old.get(name, none), new.get(name, none)
        if (count, nbytes) != (count_now, nbytes_now):
            rows.append((nbytes_now - nbytes, count_now - count, nbytes_now, name))
    rows.sort(key=lambda row: (-abs(row[0]), -abs(row[1]), row[3]))
    if not rows:
        return ["the same bytes live, line by line"]
    lines = [f"{'bytes':>14} {'count':>9} {'bytes now':>12}  born at"]
    for grown, more, now, name in rows[:_MOST_ROWS]:
        sign = "+" if grown >= 0 else "-"
        lines.append(
            f"{sign + human_bytes(abs(grown)):>14} {more:>+9} {human_bytes(now):>12}  "
            f"{printable(name)}"
        )
    if len(rows) > _MOST_ROWS:
        lines.append(f"… and {len(rows) - _MOST_ROWS} smaller changes")
    return lines
