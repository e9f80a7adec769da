"""What was seen as plain lists and dicts, and back: each line is written once, by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from garboard._arguments.texts import printable
from garboard._shown.site import Site
from garboard.leaks.evidence._live import LiveGroup
from garboard.leaks.reports._seen import Moment, Seen, Stack

__all__ = ["seen_from_dict", "seen_to_dict"]

_BY_LINE = ("before", "after", "calls")


def seen_to_dict(seen: Seen) -> dict[str, Any]:
    """Return plain lists, dicts, strings and numbers."""
    numbers: dict[Site, int] = {}

    def row(stack: Stack) -> dict[str, Any]:
        frames = [numbers.setdefault(site, len(numbers)) for site in stack.frames]
        return {"frames": frames, "count": stack.count, "bytes": stack.bytes}

    stacks = {name: [row(it) for it in getattr(seen, name)] for name in _BY_LINE}
    return {
        "timeline": [it._asdict() for it in seen.timeline],
        "sites": [site._asdict() for site in numbers],
        **stacks,
        "scopes": [vars(it) for it in seen.scopes],
    }


def seen_from_dict(found: dict[str, Any]) -> Seen:
    """Return what was written; the schema has been checked.

    Raises:
        ValueError: A row names a site that is not there.
    """
    sites = [
        Site(printable(it["file"]), it["line"], printable(it["function"])) for it in found["sites"]
    ]
    stacks = {name: tuple(_stack(row, sites, name) for row in found[name]) for name in _BY_LINE}
    return Seen(
        timeline=tuple(Moment(**it) for it in found["timeline"]),
        scopes=tuple(
            LiveGroup(printable(it["key"]), it["count"], it["bytes"]) for it in found["scopes"]
        ),
        **stacks,
    )


def _stack(row: dict[str, Any], sites: Sequence[Site], name: str) -> Stack:
    if not all(number < len(sites) for number in row["frames"]):
        raise ValueError(
            f"the report.seen.{name} names site {max(row['frames'])}; {len(sites)} are there"
        )
    return Stack(tuple(sites[number] for number in row["frames"]), row["count"], row["bytes"])
