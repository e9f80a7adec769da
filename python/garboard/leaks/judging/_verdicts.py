"""The verdict on what one holder has: whether it has grown, and what says that it may yet end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import FrameType

from garboard._engine import human_bytes
from garboard.leaks.evidence._rows import Born, Key, Survivor
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._leak import Verdict
from garboard.leaks.findings._traits import (
    is_emptied_by_code,
    is_lookup,
    is_stored_for_a_while,
    is_trimmed_by_code,
    room_in_code,
)
from garboard.leaks.holders._groups import Group, cohorts_of
from garboard.leaks.holders._holders import expression
from garboard.leaks.holders._roots import depth_of
from garboard.leaks.holders._unasked import is_a, length_of, type_name
from garboard.leaks.judging._by_epoch import is_a_number_an_epoch, is_steady_by_epoch
from garboard.leaks.judging._growth import ENDLESS, GRACE, WINDOWS, is_spread, is_steady
from garboard.leaks.judging._tracker import Tracker

__all__ = ["Verdicts", "is_of_every_step", "key_of", "keys_of"]

_NEAR = 8  # times as many items as there are: a bound that even what is never meant may wait for


class Verdicts:
    """Judges groups after step `now`; `notes` tell what was let off.

    `within` tells how many frames deep a phase was begun that ends with its block, or is 0;
    `limit_of` how many bytes a device has, where that is known.
    """

    def __init__(
        self,
        now: int,
        steps: Steps,
        tracker: Tracker,
        within: int,
        limit_of: Callable[[str], int | None],
    ) -> None:
        self._now, self._steps, self._tracker, self._within = now, steps, tracker, within
        self._limit_of = limit_of
        self.notes: list[str] = []

    def has_grown(self, group: Group) -> bool:
        """Tell whether the holder has more items than at an earlier look; take their number."""
        return self._tracker.has_grown(_name(group), group.size(), self._now)

    def note_slots(self, group: Group) -> None:
        """Take how many places a holder was made with, before they are all taken."""
        if (slots := group.slots()) is not None:
            self._tracker.is_made_longer(_place(group), slots)

    def verdict(self, group: Group, kind: Kind, is_final: bool) -> Verdict | None:
        """Return None for what is no word worth."""
        cohorts = cohorts_of(group.survivors)
        if len(cohorts) > 1 and not self._is_usual(group, cohorts):
            verdict: Verdict | None = None
            if self.has_grown(group):
                verdict = self._of_growth(group, kind, cohorts)
            elif is_final and self._is_new(group) and self.is_spread_and_steady(cohorts):
                verdict = "GROWING"
            if verdict is not None:
                return None if self._has_room(group, kind) else verdict
        return None if min(cohorts) > self._now - GRACE else kind.standing(group)

    def _of_growth(self, group: Group, kind: Kind, cohorts: Mapping[int, int]) -> Verdict | None:
        """Return the verdict on what gains items and loses none."""
        keys, epochs = keys_of(group.survivors), self._steps.epochs
        if epochs:
            if is_a_number_an_epoch(group.survivors, epochs):
                return None
            if not is_steady_by_epoch(cohorts, epochs):
                return None
            is_certain = self._tracker.epoch_streak(keys) >= 2 and _outlives_epochs(group, kind)
        else:
            if not self.is_spread_and_steady(cohorts):
                return None
            is_certain = self._tracker.is_confirmed(keys) and (
                kind.is_settled(group) or (kind.may_settle and _is_endless(group, cohorts))
            )
        is_certain = is_certain and not self._may_be_sequence(group, cohorts)
        return "LEAK" if is_certain and not self._ends_with_phase(group) else "GROWING"

    def _may_be_sequence(self, group: Group, cohorts: Mapping[int, int]) -> bool:
        """Tell whether graphs may yet have one backward pass together, as those of an episode."""
        age = self._now - min(cohorts)
        return age <= ENDLESS and group.saved_bytes > 0 and is_emptied_by_code(group)

    def _is_usual(self, group: Group, cohorts: Mapping[int, int]) -> bool:
        """Tell whether all its lines have let go of survivors of that age, time and again."""
        age = self._now - min(cohorts)
        return all(
            self._tracker.periods.is_usual(key, age, self._now) for key in keys_of(group.survivors)
        )

    def _is_new(self, group: Group) -> bool:
        """Tell whether a holder is first seen now, and has nothing but what has just piled up.

        The value of a comprehension has no name until it is complete.
        """
        is_first = self._tracker.is_first_look(_name(group), self._now)
        keys = keys_of(group.survivors)
        is_rising = self._tracker.is_rising(keys, self._now)
        return is_first and (self._tracker.is_confirmed(keys) or is_rising)

    def _has_room(self, group: Group, kind: Kind) -> bool:
        """Tell whether the program says how many items there may be, and there are not yet more:
        it looks at the length, or has made a list of that length."""
        slots, room, items = self._slots(group), room_in_code(group), group.most_items()
        if not items:  # of a tee's iterator that is as far as its twin
            return True
        most = max(it for it in (slots, room, 0) if it is not None)
        if items > most or self._is_made_longer(group, slots):
            return False
        is_near = most <= _NEAR * items and not group.saved_bytes and is_trimmed_by_code(group)
        if kind.is_settled(group) and not is_near:
            return False
        name, device = expression(group.named), group.survivors[-1].device
        nbytes = most * sum(it.nbytes * it.weight for it in group.survivors) // max(items, 1)
        limit = self._limit_of(device)
        if limit is not None and nbytes > limit:
            text = f"of {most} items, {human_bytes(nbytes)}: more than {device} has"
            self.notes.append(f"the bound of `{name}` comes too late, {text}")
            return False
        then = f", {human_bytes(nbytes)} then" if most > items else ""
        self.notes.append(f"`{name}` has {items} of {most} items that it may have{then}")
        return True

    def _slots(self, group: Group) -> int | None:
        """Return how many places a holder was made with, also where they are all taken now."""
        known = self._tracker.slots_of(_place(group))
        is_full = known is not None and known == length_of(group.holder)
        return known if is_full else group.slots()

    def _is_made_longer(self, group: Group, slots: int | None) -> bool:
        """Tell whether what was made before its items was shorter at an earlier look: what is made
        anew whenever it is full has no end."""
        return slots is not None and self._tracker.is_made_longer(_place(group), slots)

    def _ends_with_phase(self, group: Group) -> bool:
        """Tell whether only a variable of a call made within a phase holds plain tensors."""
        frame = group.chain[0].object
        if not self._within or not is_a(frame, FrameType) or group.behind.count:
            return False
        return depth_of(frame) > self._within

    def is_spread_and_steady(self, cohorts: Mapping[int, int]) -> bool:
        spread = any(is_spread(cohorts, self._now, window) for window in WINDOWS)
        return spread and is_steady(cohorts, self._now)


def _outlives_epochs(group: Group, kind: Kind) -> bool:
    """Tell whether what an epoch leaves stays for certain: nothing takes it out, and it is no cache
    whose keys come again."""
    if is_trimmed_by_code(group):
        return False
    is_for_good = not is_emptied_by_code(group) and not is_lookup(group.holder)
    return is_for_good or kind.is_of_one_epoch or kind.is_settled(group)


def _is_endless(group: Group, cohorts: Mapping[int, int]) -> bool:
    """Tell whether a hundred steps in a row have left something, and no code takes anything out,
    nor stops putting it in."""
    if not is_of_every_step(cohorts) or is_emptied_by_code(group):
        return False
    return not is_stored_for_a_while(group)


def is_of_every_step(cohorts: Mapping[int, int]) -> bool:
    span = max(cohorts) - min(cohorts) + 1
    return len(cohorts) >= ENDLESS and len(cohorts) >= 0.95 * span


def _name(group: Group) -> str:
    """Return what a holder is known by from look to look; of a set of them, the set."""
    kind = type_name(type(group.holder))
    if not group.siblings or group.set_at is None:
        return f"{expression(group.inner)} {kind}"
    sites = sorted({it.site for it in group.survivors})
    return f"{expression(group.chain[: group.set_at + 1])}[...] {kind} {sites}"


def _place(group: Group) -> str:
    """Return what the place of a holder in its owner is known by."""
    return f"{_name(group)} {id(group.chain[max(group.at - 1, 0)].object)}"


def keys_of(survivors: Iterable[Survivor | Born]) -> set[Key]:
    return set(map(key_of, survivors))


def key_of(survivor: Survivor | Born) -> Key:
    return Key(survivor.what, survivor.site)
