"""Applies a unified diff, as `patch` does: what is to go must stand where the diff says."""

from __future__ import annotations

import re

__all__ = ["patched"]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


def patched(text: str, diff: str) -> str:
    """Return a text after a diff of it.

    Raises:
        ValueError: The diff does not fit.
    """
    lines, found, at = text.split("\n"), [], 0
    rows = iter(diff.split("\n")[2:])
    for row in rows:
        hunk = _HUNK.match(row)
        if hunk:
            first = int(hunk[1]) - (hunk[2] != "0")
            found += lines[at:first]
            at = first
            continue
        mark, content = row[:1], row[1:]
        if mark in (" ", "-"):
            if lines[at] != content:
                raise ValueError(f"line {at + 1} is {lines[at]!r}; {content!r} is needed")
            at += 1
        if mark in (" ", "+"):
            found.append(content)
    return "\n".join([*found, *lines[at:]])
