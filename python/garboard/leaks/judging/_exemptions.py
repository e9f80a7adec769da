"""What is never reported: ignored fingerprints, excluded tensors, expected containers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple
from weakref import ref

from garboard._arguments import check
from garboard._arguments.texts import printable, shown
from garboard._shown.site import site_of
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.findings._leak import Leak
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import expression
from garboard.leaks.holders._public import is_kept_by_library
from garboard.leaks.holders._unasked import type_name

__all__ = ["Exemptions", "day_of", "ignore", "ignore_until", "is_ignored", "without_ignored"]


class _Ignored(NamedTuple):
    until: date | None
    reason: str


_ignored: dict[str, _Ignored] = {}


def ignore(fingerprint: str, until: str | None = None, reason: str = "") -> None:
    """Leave findings with this fingerprint out of every report from now on.

    Args:
        fingerprint: As printed, such as "LIST-02bd90".
        until: The day, as "2027-01-31", after which they are reported again.
        reason: Printed in the notes of a report that leaves one out.

    Raises:
        TypeError: An argument is no string.
        ValueError: `until` is no day.

    >>> gb.leaks.ignore("LIST-000000", until="2027-01-31", reason="waits for a release")
    """
    day = None if until is None else day_of("ignore", check.text("ignore", "until", until))
    told = printable(check.text("ignore", "reason", reason))
    ignore_until(check.text("ignore", "fingerprint", fingerprint), day, told)


def ignore_until(fingerprint: str, until: date | None, reason: str) -> None:
    _ignored[fingerprint] = _Ignored(until, reason)


def day_of(op: str, text: str) -> date:
    """Return a day of the form 2027-01-31; `op` speaks in errors."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{op}: until {shown(text)}; a day is needed, as '2027-01-31'") from None


def is_ignored(fingerprint: str) -> bool:
    if fingerprint not in _ignored:
        return False
    until = _ignored[fingerprint].until
    return until is None or date.today() <= until


def without_ignored(leaks: Iterable[Leak]) -> tuple[list[Leak], list[str]]:
    """Return the findings that are not ignored, and a note for each that is."""
    kept: list[Leak] = []
    notes: list[str] = []
    for leak in leaks:
        if is_ignored(leak.fingerprint):
            reason = _ignored[leak.fingerprint].reason
            notes.append(f"ignored {leak.fingerprint}, {leak.kind}{_because(reason)}")
        else:
            kept.append(leak)
    return kept, notes


class _Expected(NamedTuple):
    name: str
    max_items: int
    reason: str


class Exemptions:
    """What one watcher was told to expect. Holds serials and weak references, no tensor."""

    def __init__(self, evidence: Evidence = EVIDENCE) -> None:
        self._evidence = evidence
        self._serials: dict[int, str] = {}
        self._objects: list[tuple[Any, str]] = []
        self._expected: list[_Expected] = []
        self._met: set[str] = set()  # names among them that something had

    def exclude(self, things: tuple[object, ...], reason: str) -> None:
        """Leave out tensors, and whatever is held by way of other objects.

        Raises:
            TypeError: A thing is neither a tensor nor can be referred to weakly; the reason is no
                string.
        """
        told = printable(check.text("exclude", "reason", reason))
        for thing in things:
            if self._evidence.speaks_of(thing):
                self._serials[self._evidence.birth(thing)[0]] = told
                continue
            try:
                self._objects.append((ref(thing), told))
            except TypeError:
                raise TypeError(
                    f"exclude: a {type_name(type(thing))}, which cannot be referred to weakly; "
                    "give a tensor, a module or another object, or name the container in expect()"
                ) from None

    def expect(self, name: str, max_items: int, reason: str) -> None:
        self._expected.append(
            _Expected(
                printable(check.text("expect", "name_or_site", name)),
                check.count("expect", "max_items", max_items),
                printable(check.text("expect", "reason", reason)),
            )
        )

    def meet(self, groups: Sequence[Group]) -> None:
        """Take what is held by whom; `unmet` tells of the names that nothing has."""
        for group in groups if self._expected else ():
            name = expression(group.named)
            self._met |= {it.name for it in self._expected if self._is_meant(it.name, group, name)}

    def unmet(self) -> list[str]:
        """Return a note for each expectation of which nothing was met: a name may be mistyped."""
        return [
            f"expect: nothing under watch was held by `{it.name}`, or born there"
            for it in self._expected
            if it.name not in self._met
        ]

    def is_excluded(self, serial: int) -> bool:
        return serial in self._serials

    def note_for(self, group: Group) -> str | None:
        """Return why a group is no finding, if it is none."""
        bound = group.bound()
        name = expression(group.named)
        if bound is not None:
            return f"`{name}` holds {len(group.survivors)} tensors and can have {bound} items"
        if is_kept_by_library(group.chain[: group.at + 1], site_of(group.survivors[-1].site)):
            return f"`{name}` keeps {len(group.survivors)} tensors in its state"
        for weak, reason in self._objects:
            thing = weak()
            if thing is not None and any(link.object is thing for link in group.chain):
                return f"`{name}` belongs to what was excluded{_because(reason)}"
        for expected in self._expected:
            if self._is_meant(expected.name, group, name):
                items = group.size()
                if items <= expected.max_items:
                    return f"`{name}` has {items} of {expected.max_items} expected items" + (
                        _because(expected.reason)
                    )
        return None

    @staticmethod
    def _is_meant(meant: str, group: Group, name: str) -> bool:
        site = site_of(group.survivors[-1].site)
        whole = expression(group.chain[: group.set_at + 1]) if group.set_at is not None else name
        names = {name, whole, *(it.rpartition(".")[2] for it in (name, whole))}
        return meant in names | {site.place, site.function, site.called}


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""
