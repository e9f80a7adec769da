"""What was growing at the last look, and ended with its function before the report: a note of it.

    def main():
        embeddings = []         # gone when the script's report is made
        for batch in loader:
            embeddings.append(net(batch).detach())

It is no finding, for a list that a function makes and lets go is as a program should be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from garboard._shown.site import Site
from garboard.leaks.findings._leak import Leak

__all__ = ["Gone"]


class Gone:
    """What one watch has seen growing; text and numbers, no object."""

    def __init__(self) -> None:
        self._growing: dict[str, Leak] = {}  # by fingerprint

    def take(self, leaks: Iterable[Leak]) -> None:
        """Take the findings of a look."""
        self._growing.update((it.fingerprint, it) for it in leaks if it.verdict == "GROWING")

    def notes(self, lines: Set[Site], found: Sequence[Leak]) -> list[str]:
        """Return a line for each that still grew at the last evaluation, at one of these lines of
        birth, and is not found now."""
        here = {it.fingerprint for it in found} | {it.site for it in found}
        return [
            f"grew until it was let go: {it.kind}, {it.figures}; held by {it.holder}"
            for it in self._growing.values()
            if it.site in lines and not here & {it.fingerprint, it.site}
        ]
