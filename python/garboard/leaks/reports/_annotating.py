"""A program's lines with what they keep alive in the margin, and findings below their lines."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterable, Sequence

from garboard._arguments.texts import printable
from garboard._engine import human_bytes
from garboard._shown.site import Site, short_path
from garboard.leaks.reports._report import LeakReport

__all__ = ["annotated"]

_MARGIN = 24


def annotated(report: LeakReport, files: Sequence[str] = (), around: int = 3) -> str:
    """Return the lines that the report names, and those around them, file by file.

    Raises:
        ValueError: The report names no line of these files, or none that can be read.
    """
    live: dict[tuple[str, int], list[int]] = {}
    for row in report.seen.after:
        entry = live.setdefault(row.frames[-1][:2], [0, 0])
        entry[0] += row.count
        entry[1] += row.bytes
    told: dict[tuple[str, int], list[str]] = {}
    for leak in report.leaks:
        told.setdefault(leak.site[:2], []).append(f"{leak.verdict}  {leak.summary}")
        told[leak.site[:2]].append(f"fix: {leak.fix}")
        if _is_apart(leak.holder_site, leak.site):
            assert leak.holder_site is not None
            told.setdefault(leak.holder_site[:2], []).append(
                f"here it is stored: {leak.holder} [{leak.fingerprint}]"
            )
    wanted = {os.path.realpath(file) for file in files}
    places = sorted(live.keys() | told.keys())
    named = [
        it
        for it in dict.fromkeys(file for file, _ in places)
        if not wanted or os.path.realpath(it) in wanted
    ]
    parts = [
        _file(file, [line for other, line in places if other == file], live, told, around)
        for file in named
    ]
    found = [part for part in parts if part]
    if not found:
        which = ", ".join(map(printable, files)) or "that can be read"
        raise ValueError(f"annotate: the report names no line of a file {which}")
    return "\n\n".join(found)


def _is_apart(place: Site | None, other: Site) -> bool:
    return place is not None and place[:2] != other[:2]


def _file(
    file: str,
    lines: Iterable[int],
    live: dict[tuple[str, int], list[int]],
    told: dict[tuple[str, int], list[str]],
    around: int,
) -> str:
    linecache.checkcache(file)
    source = linecache.getlines(file) if file else []
    shown = sorted(
        {
            near
            for line in lines
            for near in range(line - around, line + around + 1)
            if 0 < near <= len(source)
        }
    )
    if not shown:
        return ""
    width = len(str(shown[-1]))
    found, last = [printable(short_path(file))], 0
    for line in shown:
        if last and line > last + 1:
            found.append(f"{'':{_MARGIN}} {'⋮':>{width}}")
        count, nbytes = live.get((file, line), (0, 0))
        margin = f"{human_bytes(nbytes)} in {count}" if count else ""
        text = printable(source[line - 1].rstrip("\n").expandtabs(4))
        found.append(f"{margin:>{_MARGIN}} {line:>{width}} {text}".rstrip())
        indent = " " * (_MARGIN + width + 2 + len(text) - len(text.lstrip()))
        found += [f"{indent}^ {printable(it)}" for it in told.get((file, line), ())]
        last = line
    return "\n".join(found)
