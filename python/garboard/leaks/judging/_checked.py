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
        needed: Steps after which a leak of one tensor a step is certain; 0 where none are needed.
    """

    steps: int = 0
    born: int = 0
    alive: int = 0
    grown_bytes: int = 0
    needed: int = 0

    @property
    def is_too_early(self) -> bool:
        """True while a leak could not be certain yet."""
        return self.steps < self.needed

    @property
    def summary(self) -> str:
        """What is said where nothing was found."""
        parts = [f"{self.steps} steps"] if self.steps else []
        if self.is_too_early:
            parts = [f"{self.steps} of about {self.needed} steps"]
        parts += [f"{self.born} tensors born", f"{self.born - self.alive} dead"]
        return f"{'too early' if self.is_too_early else 'no leaks'}: {', '.join(parts)}"


class Judgement(NamedTuple):
    """What a judge has to say: the parts of a report."""

    leaks: tuple[Leak, ...]
    notes: tuple[str, ...]
    checked: Checked
