"""What was certain before, and stands in every later report: text and numbers, no object."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from garboard.leaks.findings._leak import Leak
from garboard.leaks.judging._exemptions import is_ignored

__all__ = ["Announced"]


class Announced:
    """The leaks of one watch that were announced, each once."""

    def __init__(self) -> None:
        self._leaks: dict[str, Leak] = {}  # by fingerprint

    def __len__(self) -> int:
        return len(self._leaks)

    def all(self) -> list[Leak]:
        return list(self._leaks.values())

    def new_among(self, leaks: Iterable[Leak]) -> list[Leak]:
        """Return those that are certain and were not announced yet."""
        known = {it.cause for it in self._leaks.values()}
        statements = {which for it in self._leaks.values() for which in it.statements}
        found: list[Leak] = []
        for leak in leaks:
            if leak.verdict != "LEAK" or is_ignored(leak.fingerprint):
                continue
            if not statements.isdisjoint(leak.statements):
                continue
            if leak.fingerprint not in self._leaks and leak.cause not in known:
                found.append(leak)
                known.add(leak.cause)
        return found

    def add(self, leaks: Iterable[Leak]) -> None:
        self._leaks.update((leak.fingerprint, leak) for leak in leaks)

    def joined_with(self, found: Sequence[Leak]) -> list[Leak]:
        """Return what is found, with what is gone by now, and without its second appearance.

        A list that a function returns has another holder afterwards; it is the same leak, and as
        certain as it was.
        """
        certain = [it for it in found if it.verdict == "LEAK" or not self._has(it)]
        here = {leak.fingerprint for leak in certain} | {leak.cause for leak in certain}
        gone = [it for name, it in self._leaks.items() if not {name, it.cause} & here]
        lines = {leak.site for leak in gone}
        return [*(leak for leak in certain if leak.site not in lines), *gone]

    def _has(self, leak: Leak) -> bool:
        causes = {it.cause for it in self._leaks.values()}
        return leak.fingerprint in self._leaks or leak.cause in causes
