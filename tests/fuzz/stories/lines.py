"""The lines that stories are made of, by section, from `lines/*.txt`; and which sections make one.

In a line `{x}` and the like stand for names of what is there, or is made for it: see `story.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["PLOTS", "Plot", "section"]


@dataclass(frozen=True)
class Plot:
    """What happens in a story: a line of each of `first`, then lines of `then`, by weight."""

    name: str
    first: str
    then: dict[str, int]


_RECORDED = {"op": 6, "view": 2, "spoil": 3, "end": 4}

PLOTS = (
    Plot("graph", "leaf leaf indices op op", _RECORDED),
    Plot("spoilt", "leaf indices op op op spoil end", {"op": 1, "spoil": 4, "end": 4, "view": 1}),
    Plot("hooks", "leaf leaf op op hook hook", {**_RECORDED, "hook": 5}),
    Plot("unpack", "leaf indices unpack op op end", {**_RECORDED, "unpack": 2}),
    Plot("views", "leaf op view view view spoil end", {"view": 4, "spoil": 5, "end": 3, "op": 1}),
    Plot("training", "leaf module optimizer", {"use": 3, "step": 9, "spoil": 1, "hook": 1}),
    Plot("modules", "leaf module use", {"use": 9, "module": 1, "hook": 2, "end": 1, "spoil": 1}),
    Plot("scopes", "scope scope leaf op", {"scope": 9, "op": 2, "end": 1, "module": 1, "walk": 1}),
    Plot("walks", "walk scope walked", {"walked": 8, "scope": 4, "spoil": 1, "walk": 1}),
    Plot("packed", "packed unpacked", {"unpacked": 9, "scope": 1, "indices": 1, "end": 1}),
    Plot("exchange", "thing pickled pickled", {"pickled": 9, "thing": 2, "op": 1, "end": 1}),
    Plot("modes", "leaf mode op", {**_RECORDED, "mode": 8, "block": 1, "unpack": 1, "use": 1}),
    Plot("all", "leaf op", {**_RECORDED, "hook": 2, "unpack": 1, "use": 2, "step": 2, "scope": 2,
                            "walked": 1, "unpacked": 1, "pickled": 2, "mode": 2}),
)  # fmt: skip


@cache
def _sections() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in sorted(Path(__file__).with_name("lines").glob("*.txt")):
        for line in file.read_text().splitlines():
            if line.startswith("# "):
                lines = found.setdefault(line[2:], [])
            elif line:
                lines.append(line)
    return found


def section(name: str) -> list[str]:
    """Return the lines of a section."""
    return _sections()[name]
