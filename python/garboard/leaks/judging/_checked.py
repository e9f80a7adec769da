"""What a check covered, and what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from garboard.leaks.findings._leak import Leak

__all__ = ["Checked", "Judgement"]


@dataclass(frozen=True)
class Checked:
    """What was looked at.

    Attributes:
        steps: Steps of the loop, iterations of the function, or 0 for a block.
        born: Tensors born meanwhile.
        alive: How many of them still live, rightly or not.
        grown_bytes: Live bytes now, less those at the end of the warm-up.
    """

    steps: int = 0
    born: int = 0
    alive: int = 0
    grown_bytes: int = 0


class Judgement(NamedTuple):
    """What a judge has to say: the parts of a report."""

    leaks: tuple[Leak, ...]
    notes: tuple[str, ...]
    checked: Checked
