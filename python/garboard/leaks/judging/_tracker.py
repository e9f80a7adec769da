"""Which lines are under suspicion, from evaluation to evaluation. Numbers only, no object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from garboard._shown.site import Site, site_of
from garboard.leaks.evidence._graphs import Chain
from garboard.leaks.evidence._rows import Key
from garboard.leaks.judging._growth import ENDLESS, GRACE, LEAST_COHORTS, PERIOD, WARMUP, Growth
from garboard.leaks.judging._periods import Periods
from garboard.leaks.judging._swelling import Swelling

__all__ = ["Tracker"]

_MOST_HOLDERS = 4096  # that are remembered, of a loop that goes on for days
_HELD = ("tensor", "export")  # what Python's objects are themselves

_Found = Mapping[Key, Mapping[int, int]]
_Ends = tuple[int, int]  # of a graph: the steps of its oldest and newest nodes


class _Streak:
    """Confirmations in a row of one thing that goes on, and has lost nothing since the first."""

    def __init__(self) -> None:
        self.count = 0
        self.has_ended = False  # at some time
        self._first: dict[int, int] = {}
        self._newest = 0

    def is_lost(self, cohorts: Mapping[int, int]) -> bool:
        """Tell whether something of the first confirmation has died."""
        return not all(cohorts.get(step, 0) >= n for step, n in self._first.items())

    def feed(self, cohorts: Mapping[int, int], is_positive: bool, newest: int = 0) -> None:
        """Take what is old enough to be judged, and the newest step there is of it."""
        before, self._newest = self._newest, newest or max(cohorts, default=0)
        self.has_ended |= self.is_lost(cohorts)
        if not is_positive or self._newest <= before:
            self.count = 0
        elif self.count and not self.is_lost(cohorts):
            self.count += 1
        else:
            self.count, self._first = 1, dict(cohorts)


class Tracker:
    """Growth of every line, of every graph, and across epochs."""

    def __init__(self) -> None:
        self._growths: dict[Key, Growth] = {}
        self._epochs: dict[Key, _Streak] = {}
        self._graphs: dict[int, _Streak] = {}  # by the head's site
        self._walked: dict[int, _Ends] = {}  # of those that a backward pass was first seen in
        self._holds: dict[Key, int] = {}  # not looked at again before this step
        self._graph_hold = 0
        self.periods = Periods()
        self.swelling = Swelling()
        self._slots: dict[str, int] = {}
        self._sizes: dict[str, list[tuple[int, int]]] = {}  # of holders: step and items, twice

    def feed(self, now: int, found: _Found) -> None:
        """Take the survivors after step `now`."""
        self.periods.feed(now, found)
        for gone in self._growths.keys() - found.keys():
            del self._growths[gone]
        for key, cohorts in found.items():
            self._growths.setdefault(key, Growth()).feed(now, cohorts)

    def lose(self, found: _Found) -> None:
        """Take what lives when a report is made: the last evaluation may be long ago."""
        for key, growth in self._growths.items():
            growth.lose(found.get(key, {}))

    def due(self, now: int) -> set[Key]:
        """Return the lines whose survivors have become a case, or are about to."""
        return {
            key
            for key, growth in self._growths.items()
            if key.what in _HELD and growth.is_nearly_confirmed and now >= self._holds.get(key, 0)
        }

    def unseen(self, now: int, least: int = 2) -> set[Key]:
        """Return what grows although no tensor of Python's is it: nodes, storages, hooks."""
        return {
            key
            for key, growth in self._growths.items()
            if key.what not in _HELD and growth.streak >= least
        }

    def unseen_due(self, now: int) -> set[Key]:
        """Return those that have become a case, or are about to."""
        return {
            key
            for key in self.unseen(now)
            if self._growths[key].is_nearly_confirmed and now >= self._holds.get(key, 0)
        }

    def has_grown(self, holder: str, items: int, now: int) -> bool:
        """Tell whether a holder has more items than at an earlier look; take the number for later.

        A ring or a list at its cap goes on changing its items, and that is no growth.
        """
        looks = self._sizes.pop(holder, [])
        self._sizes[holder] = looks  # at the end: what was looked at last is forgotten last
        if len(self._sizes) > _MOST_HOLDERS:
            del self._sizes[next(iter(self._sizes))]
        if not looks or looks[-1][0] < now:
            looks.append((now, items))
            del looks[:-2]
        return len(looks) == 2 and looks[1][1] > looks[0][1]

    def slots_of(self, holder: str) -> int | None:
        """Return how many slots a holder had when it was first looked at, if it had some."""
        return self._slots.get(holder)

    def is_made_longer(self, holder: str, slots: int) -> bool:
        """Tell whether a holder with so many slots had fewer when it was first looked at."""
        if len(self._slots) > _MOST_HOLDERS:
            del self._slots[next(iter(self._slots))]
        return slots > self._slots.setdefault(holder, slots)

    def is_first_look(self, holder: str, now: int) -> bool:
        """Tell whether a holder was not known before this step."""
        looks = self._sizes.get(holder, [])
        return not looks or looks[0][0] >= now

    def is_graph_due(self, now: int) -> bool:
        """Tell whether nodes of many steps live: some head may lead to them all."""
        return now >= self._graph_hold and any(
            key.what == "node" and len(growth.cohorts) >= LEAST_COHORTS
            for key, growth in self._growths.items()
        )

    def put_off(self, keys: Iterable[Key], now: int) -> None:
        """Do not look at these again until half as many steps more have passed.

        Except that the step is not missed from which on growth is endless.
        """
        until, endless = now + now // 2, WARMUP + ENDLESS + GRACE + PERIOD // 2
        if now < endless < until:
            until = endless
        for key in keys:
            if self.is_confirmed([key]) or self.epoch_streak([key]) >= 2:
                self._holds[key] = until

    def put_off_graphs(self, now: int) -> None:
        self._graph_hold = now + now // 2

    def streak_of(self, keys: Iterable[Key]) -> int:
        """Return the most consecutive positive evaluations any of these lines has."""
        return max((self._growths[key].streak for key in keys if key in self._growths), default=0)

    def is_confirmed(self, keys: Iterable[Key]) -> bool:
        return any(self._growths[key].is_confirmed for key in keys if key in self._growths)

    def is_rising(self, keys: Iterable[Key], now: int) -> bool:
        """Tell whether of some of these lines ever more live, although some die."""
        return any(self._growths[key].is_rising(now) for key in keys if key in self._growths)

    def is_nearly_confirmed(self, keys: Iterable[Key]) -> bool:
        growths = (self._growths[key] for key in keys if key in self._growths)
        return any(it.is_nearly_confirmed for it in growths)

    def confirmed_lines(self) -> set[Site]:
        """Return the lines of birth of all that is confirmed."""
        return {site_of(key.site) for key, it in self._growths.items() if it.is_confirmed}

    def feed_graphs(self, now: int, chains: Sequence[Chain]) -> None:
        """Take the graphs that heads lead to after step `now`."""
        growing = {chain.site: chain for chain in chains if is_long(chain, now)}
        for site in self._graphs.keys() - growing.keys():
            del self._graphs[site]
        for site, chain in growing.items():
            old = {step: n for step, n in chain.steps.items() if WARMUP < step <= now - GRACE}
            self._graphs.setdefault(site, _Streak()).feed(old, True, max(chain.steps))
        # A pass that keeps the graph, as `grad(create_graph=True)` of inner steps, ends nothing.
        over = {site: it for site, it in growing.items() if it.was_walked and not it.is_retained}
        ends = {site: _ends(chain) for site, chain in over.items()}
        first = {site: self._walked.get(site, it) for site, it in ends.items()}
        self._walked = {
            site: it if it[0] == ends[site][0] else ends[site] for site, it in first.items()
        }

    def graph_streak(self, chain: Chain) -> int:
        streak = self._graphs.get(chain.site)
        return streak.count if streak else 0

    def is_begun_anew(self, chain: Chain) -> bool:
        """Tell whether an earlier graph of that line has ended, and this one is hardly known."""
        it = self._graphs.get(chain.site)
        return it is not None and (it.is_lost(chain.steps) or (it.has_ended and it.count < 2))

    def was_walked(self, chain: Chain) -> bool:
        """Tell whether a graph grew on after a backward pass had gone through part of it."""
        (oldest, newest), walked = _ends(chain), self._walked.get(chain.site)
        return (
            chain.was_walked and walked is not None and oldest == walked[0] and newest > walked[1]
        )

    def feed_epoch(self, found: _Found, ends: Sequence[int]) -> None:
        """Take the survivors when an epoch has ended; those of the last one are not judged yet."""
        for key, cohorts in found.items():
            old = {step: n for step, n in cohorts.items() if step <= ends[-2]}
            onset = min(old, default=0)
            begun = [0, *ends[:-2]]
            passed = [(a, b) for a, b in zip(begun, ends[:-1], strict=True) if b >= onset]
            covered = all(any(a < step <= b for step in old) for a, b in passed)
            self._epochs.setdefault(key, _Streak()).feed(old, bool(old) and covered)
        for gone in self._epochs.keys() - found.keys():
            del self._epochs[gone]

    def epoch_streak(self, keys: Iterable[Key]) -> int:
        return max((self._epochs[key].count for key in keys if key in self._epochs), default=0)

    def epoch_due(self, now: int) -> set[Key]:
        return {
            key
            for key, streak in self._epochs.items()
            if key.what in _HELD and streak.count >= 1 and now >= self._holds.get(key, 0)
        }


def _ends(chain: Chain) -> _Ends:
    return min(chain.steps), max(chain.steps)


def is_long(chain: Chain, now: int) -> bool:
    """Tell whether a head leads to nodes of six finished steps or more."""
    return sum(WARMUP < step <= now - GRACE for step in chain.steps) >= LEAST_COHORTS
