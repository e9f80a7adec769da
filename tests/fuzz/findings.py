"""Findings, those of the same fault together."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.allowed import is_forgiven
from tests.fuzz.judge import fingerprint

__all__ = ["DEATHS", "Finding", "Findings"]

DEATHS = ("crash", "hang", "memory")


@dataclass
class Finding:
    """A fault with its shortest text: what the programs before it have in common."""

    fault: str
    number: int
    count: int = 0
    targets: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)
    errors: str = ""

    @property
    def kind(self) -> str:
        """One of crash, hang, memory, leak, untyped."""
        head = self.fault.partition(":")[0]
        if head in DEATHS:
            return head
        return "leak" if head.startswith(("left behind", "the books")) else "untyped"

    def reported(self, seed: int) -> str:
        """Return it as text, with how to see it again."""
        targets = ", ".join(f"{name} {count}" for name, count in self.targets.most_common(6))
        text = f"{self.count} x {self.fault[:300]}\n  by {targets or '?'}; first in {self.number}"
        text += "".join(f"\n    {line[:400]}" for line in self.lines)
        text += f"\n  ./run test --fuzz 1 --seed {seed} --only {self.number}"
        return text + "".join(f"\n  | {line}" for line in self.errors.splitlines()[:40])


class Findings:
    """All findings of a run."""

    def __init__(self) -> None:
        self._by_key: dict[str, Finding] = {}
        self._read: dict[Path, int] = defaultdict(int)
        #: The names of what was called, and of what returned at least once.
        self.called: set[str] = set()
        self.answered: set[str] = set()

    def add(self, number: int, target: str, fault: str, lines: list[str], errors: str = "") -> None:
        if is_forgiven(target, fault):
            return
        key = fingerprint(fault)
        if fault.startswith("AttributeError"):  # one text of Python's for many faults of ours
            key = f"{key} {target.rpartition('/')[2]}"
        found = self._by_key.setdefault(key, Finding(fault, number))
        found.count += 1
        found.targets[target] += 1
        if lines and (not found.lines or len(lines) < len(found.lines)):
            found.lines, found.number, found.fault = lines, number, fault
        found.errors = found.errors or errors

    def add_death(self, number: int, fault: str, errors: str) -> None:
        """Take a crash or a hang; where it was in C is what tells two apart."""
        theirs = ("tests/fuzz", "runpy>", "Extension modules")
        stack = [line for line in errors.splitlines() if not any(it in line for it in theirs)]
        found = self._by_key.setdefault(f"{fault} {number}", Finding(fault, number))
        found.count += 1
        found.errors = "\n".join(filter(str.strip, stack))

    def read(self, file: Path) -> None:
        """Take what has been added to `file` since it was read."""
        with file.open() as rows:
            rows.seek(self._read[file])
            for text in rows:
                if text.endswith("\n"):
                    row = json.loads(text)
                    self._read[file] += len(text.encode())
                    if "fault" in row:
                        self.add(row["number"], row["target"], row["fault"], row["lines"])
                    else:
                        self.called.update(row["called"])
                        self.answered.update(row["answered"])

    def reached(self, public: set[str]) -> str:
        """Say how much of `public` was called, and how much of it returned at least once."""
        called, answered = len(public & self.called), len(public & self.answered)
        return f"{called} of {len(public)} public callables called, {answered} with a result"

    def join_alike(self) -> None:
        """Let deaths whose texts end alike be one finding."""
        for key, found in list(self._by_key.items()):
            if found.kind in DEATHS and found.lines:
                called = found.lines[-1].partition(" = ")[2].partition("(")[0]
                del self._by_key[key]
                alike = self._by_key.setdefault(f"{found.fault} in {called}", found)
                if alike is not found:
                    alike.count += found.count

    def all(self) -> list[Finding]:
        order = (*DEATHS, "leak", "untyped")
        return sorted(self._by_key.values(), key=lambda it: (order.index(it.kind), -it.count))

    def counts(self) -> dict[str, int]:
        """Return how many faults of each kind there are."""
        found = dict.fromkeys((*DEATHS, "leak", "untyped"), 0)
        for finding in self._by_key.values():
            found[finding.kind] += 1
        return found
