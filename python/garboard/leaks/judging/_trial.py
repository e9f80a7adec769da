"""Gives verdicts: what has grown is looked at, named, and judged by the rules that keep quiet.

Only LEAK is announced. A container that its structure, its author or an epoch empties is none; a
single event is none; what only a running frame's variable holds ends with the frame.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._graphs import Chain, Graphs
from garboard.leaks.evidence._rows import Born, Key, Since, Survivor
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.evidence._views import LEAST_PINNED
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._leak import Leak, Verdict
from garboard.leaks.findings._making import (
    leak_of_cycles,
    leak_of_graph,
    leak_of_group,
    leak_of_scattered,
    leak_of_unreached,
)
from garboard.leaks.findings._traits import is_emptied_by_code
from garboard.leaks.holders._cycles import Cycle
from garboard.leaks.holders._groups import Group, cohorts_of
from garboard.leaks.holders._holders import expression
from garboard.leaks.holders._look import Look
from garboard.leaks.holders._roots import Opened
from garboard.leaks.holders._unasked import is_disposed, type_name
from garboard.leaks.judging._causes import Case, one_for_each_cause
from garboard.leaks.judging._exemptions import Exemptions
from garboard.leaks.judging._growth import (
    ENDLESS,
    GRACE,
    LEAST_COHORTS,
    WARMUP,
    WINDOWS,
    is_spread,
    is_steady,
)
from garboard.leaks.judging._tracker import Tracker, is_long
from garboard.leaks.kinds import all_kinds, kind_of_cycle, kind_of_graph, kind_of_group, may_stand
from garboard.leaks.kinds._export_pin import KIND as EXPORT_PIN
from garboard.leaks.kinds._native_cycle import KIND as NATIVE_CYCLE
from garboard.leaks.kinds._unknown import KIND as UNKNOWN

__all__ = ["Trial"]

_UNWALKED = 5  # confirmations a graph needs through which no backward pass has gone


class Trial:
    """One round of verdicts after step `now`; `notes` tell what was let off."""

    def __init__(
        self,
        evidence: Evidence,
        now: int,
        since: Since,
        steps: Steps,
        tracker: Tracker,
        exemptions: Exemptions,
        opened: Opened,
    ) -> None:
        self._evidence, self._opened = evidence, opened
        self._now, self._since, self._steps = now, since, steps
        self._tracker, self._exemptions = tracker, exemptions
        self.notes: list[str] = []

    def graphs(self) -> list[Leak]:
        """Judge growing graphs, between two reports."""
        look = self._look(lambda _: False)
        return self._judge_graphs(look, is_final=False)

    def tensors(self, keys: set[Key]) -> list[Leak]:
        """Judge the survivors of some lines, between two reports."""
        sites = {key.site for key in keys}
        is_deep = bool(self._tracker.unseen(self._now))  # what they are the cause of is theirs
        look = self._look(lambda it: it.site in sites and self._may_be(it), is_deep)
        leaks = self._judge_groups(look, is_final=False)
        leaks += self._judge_scattered(look)
        return leaks + self._judge_unreached(look)

    def unseen(self) -> list[Leak]:
        """Judge what grows although no tensor of Python's is it, between two reports."""
        look = self._look(lambda _: False, is_deep=True)
        return self._judge_groups(look, is_final=False)

    def garbage(self, nbytes: int) -> list[Leak]:
        """Name what the collector has to end; it gave back so many bytes so far."""
        look = self._look(self._may_be)
        if not look.unreached:
            return []
        outside, others = look.facts_of_unreached()
        cycles = look.cycles({it.serial for it in outside})
        alive = look.collect()
        dead = [it for it in others if it.serial not in alive]
        if not cycles or not dead:
            return []
        kind = kind_of_cycle(cycles[-1])
        both = max(nbytes, sum(it.nbytes for it in dead))
        return [leak_of_cycles(cycles, kind, len(dead), both, self._now)]

    def everything(self) -> list[Leak]:
        """Judge all there is, for a report."""
        is_deep = bool(self._tracker.unseen(self._now))
        look = self._look(self._may_be, is_deep)
        leaks = self._judge_graphs(look, is_final=True)
        leaks += self._judge_groups(look, is_final=True)
        leaks += self._search(look, {leak.kind for leak in leaks})
        leaks += self._judge_scattered(look)
        rest = look.unexplained() if is_deep else ([], [])
        leaks += self._judge_unreached(look)
        if any(rest) and not any(leak.verdict == "CYCLE" for leak in leaks):
            leaks += self._judge_rest(look.graphs, *rest)
        return leaks

    def _judge_scattered(self, look: Look) -> list[Leak]:
        """Judge what grows tensor by tensor, each with a holder of its own."""
        alone: dict[Key, list[Group]] = {}
        for group in look.groups:
            if len(group.survivors) == 1:
                it = group.survivors[0]
                alone.setdefault(Key(it.what, it.site), []).append(group)
        found = []
        for key, own in sorted(alone.items()):
            cohorts = Counter(it.survivors[0].step for it in own)
            if self._tracker.is_confirmed([key]) and self._is_spread_and_steady(cohorts):
                verdict: Verdict = "LEAK" if _is_of_every_step(cohorts) else "GROWING"
                found.append(leak_of_scattered(own, UNKNOWN, verdict, self._now))
        return found

    def _judge_rest(self, before: Graphs, nodes: list[int], storages: list[int]) -> list[Leak]:
        """Judge nodes and storages that live by nothing that was found.

        What the collector ends was held by a cycle, and by no object of the program's.
        """
        gc.collect()
        after = Graphs(self._evidence, self._since, self._steps)
        living = _without_warm_up(after.count_unheld(storages))
        dead = _less(_without_warm_up(before.count_unheld(storages)), living)
        if self._is_much(sum(it.nbytes for it in dead)) or self._is_piling(dead):
            return [leak_of_unreached(dead, NATIVE_CYCLE, "CYCLE", self._now)]
        if cycles := self._judge_native_cycles(after, storages):
            return cycles
        return self._judge_unnamed(living) or self._judge_unnamed(
            _without_warm_up(after.count_nodes(nodes))
        )

    def _judge_native_cycles(self, graphs: Graphs, storages: Sequence[int]) -> list[Leak]:
        """Judge what a cycle inside the library keeps for good."""
        found = _without_warm_up(graphs.unheld_at(self._evidence.native_cycles(storages)))
        if not found or not self._is_spread_and_steady(cohorts_of(found)):
            return []
        return [leak_of_unreached(found, NATIVE_CYCLE, "LEAK", self._now)]

    def _is_piling(self, found: Sequence[Born]) -> bool:
        return self._tracker.is_confirmed(_keys(found))

    def _is_much(self, nbytes: int) -> bool:
        """Tell whether bytes that waited for the collector are worth a word."""
        live_bytes = self._evidence.total_bytes()
        return nbytes > max(LEAST_PINNED, (live_bytes + nbytes) // 20)

    def _judge_unnamed(self, found: Sequence[Born]) -> list[Leak]:
        grown = [it for it in found if self._tracker.is_confirmed(_keys([it]))]
        if not grown or not self._is_spread_and_steady(cohorts_of(grown)):
            return []
        return [leak_of_unreached(grown, UNKNOWN, "GROWING", self._now)]

    def _look(self, is_suspect: Callable[[Survivor], bool], is_deep: bool = False) -> Look:
        return Look(
            self._evidence,
            self._since,
            self._steps,
            is_suspect,
            is_deep=is_deep,
            loop_file=self._opened.file,
            opened=self._opened,
        )

    def _search(self, look: Look, known: set[str]) -> list[Leak]:
        """Find what stands out although it does not grow, of kinds that nothing was said of yet."""
        return [
            leak_of_group(group, kind, "RETAINED", self._now)
            for kind in all_kinds()
            if kind.search and kind.name not in known
            for group in kind.search(look)
        ]

    def _may_be(self, survivor: Survivor) -> bool:
        if survivor.step in self._steps.warm or self._exemptions.is_excluded(survivor.serial):
            return False
        return not is_disposed(survivor.tensor)

    # Graphs

    def _judge_graphs(self, look: Look, is_final: bool) -> list[Leak]:
        chains = look.graphs.chains(LEAST_COHORTS)
        if not is_final:
            self._tracker.feed_graphs(self._now, chains)
        long = [chain for chain in chains if is_long(chain, self._now)]
        if not long and not is_final:
            self._tracker.put_off_graphs(self._now)
        found = (self._judge_graph(look, chain, is_final) for chain in long)
        return [leak for leak in found if leak is not None]

    def _judge_graph(self, look: Look, chain: Chain, is_final: bool) -> Leak | None:
        if self._exemptions.is_excluded(chain.head.serial):
            return None
        needed = 2 if chain.was_walked else _UNWALKED
        verdict: Verdict = "LEAK"
        if self._tracker.graph_streak(chain) < needed:
            if not is_final or not is_steady(chain.steps, self._now):
                return None
            verdict = "GROWING"
        owner = look.owner_of(chain.head)
        if owner is not None and (note := self._exemptions.note_for(owner)):
            self.notes.append(note)
            return None
        if not is_final:
            self._tracker.put_off_graphs(self._now)
        return leak_of_graph(chain, owner, kind_of_graph(chain, owner), verdict, self._now)

    # Tensors behind holders

    def _judge_groups(self, look: Look, is_final: bool) -> list[Leak]:
        found = []
        for group in look.groups:
            if not self._is_a_case(group, is_final):
                continue
            kind = kind_of_group(group)
            verdict = self._verdict(group, kind)
            if verdict is None:
                continue
            if note := self._exemptions.note_for(group):
                self.notes.append(note)
                continue
            found.append(Case(group, kind, verdict))
        return [
            leak_of_group(it.group, it.kind, it.verdict, self._now)
            for it in one_for_each_cause(found)
        ]

    def _is_a_case(self, group: Group, is_final: bool) -> bool:
        return self._grows(group, is_final) or (is_final and may_stand(group))

    def _verdict(self, group: Group, kind: Kind) -> Verdict | None:
        keys, cohorts = _keys(group.survivors), cohorts_of(group.survivors)
        if self._tracker.has_grown(_name(group), group.size(), self._now) and len(cohorts) > 1:
            if self._steps.epochs:
                return "LEAK" if self._tracker.epoch_streak(keys) >= 2 else "GROWING"
            if self._is_spread_and_steady(cohorts):
                is_certain = self._tracker.is_confirmed(keys) and (
                    kind.is_settled(group) or (kind.may_settle and _is_endless(group, cohorts))
                )
                return "LEAK" if is_certain else "GROWING"
        return None if min(cohorts) > self._now - GRACE else kind.standing(group)

    def _grows(self, group: Group, is_final: bool) -> bool:
        keys = _keys(group.survivors)
        if self._steps.epochs:
            return self._tracker.epoch_streak(keys) >= 1
        is_confirmed = self._tracker.is_confirmed(keys)
        if not is_confirmed and not is_final:
            self._tracker.has_grown(_name(group), group.size(), self._now)  # for the next look
        is_likely = is_confirmed or (is_final and self._tracker.streak_of(keys) >= 2)
        return is_likely and self._is_spread_and_steady(cohorts_of(group.survivors))

    def _is_spread_and_steady(self, cohorts: Mapping[int, int]) -> bool:
        spread = any(is_spread(cohorts, self._now, window) for window in WINDOWS)
        return spread and is_steady(cohorts, self._now)

    # What no root leads to

    def _judge_unreached(self, look: Look) -> list[Leak]:
        """Tell garbage from what a holder outside Python keeps. Ends the look."""
        if not look.unreached:
            return []
        outside, others = look.facts_of_unreached()
        cycles = look.cycles({it.serial for it in outside})
        alive = look.collect()
        dead = [it for it in others if it.serial not in alive]
        leaks = self._judge_garbage(cycles, dead)
        for kind, left in ((EXPORT_PIN, outside), (UNKNOWN, others)):
            living = [it for it in left if it.serial in alive]
            if self._tracker.is_confirmed(_keys(living)) and self._is_spread_and_steady(
                cohorts_of(living)
            ):
                verdict: Verdict = "GROWING" if kind is UNKNOWN else "LEAK"
                leaks.append(leak_of_unreached(living, kind, verdict, self._now))
        return leaks

    def _judge_garbage(self, cycles: list[Cycle], dead: list[Survivor]) -> list[Leak]:
        """What died in the collector alone is worth a word where it is much, or piles up."""
        nbytes = sum(it.nbytes for it in dead)
        is_much = self._is_much(nbytes)
        if not cycles or not dead or not (is_much or self._tracker.is_confirmed(_keys(dead))):
            return []
        return [leak_of_cycles(cycles, kind_of_cycle(cycles[-1]), len(dead), nbytes, self._now)]


def _is_endless(group: Group, cohorts: Mapping[int, int]) -> bool:
    """Tell whether a hundred steps in a row have left something, and no code takes anything out."""
    return _is_of_every_step(cohorts) and not is_emptied_by_code(group)


def _is_of_every_step(cohorts: Mapping[int, int]) -> bool:
    span = max(cohorts) - min(cohorts) + 1
    return len(cohorts) >= ENDLESS and len(cohorts) >= 0.95 * span


def _name(group: Group) -> str:
    return f"{expression(group.named)} {type_name(type(group.holder))}"


def _without_warm_up(found: Iterable[Born]) -> list[Born]:
    return [it for it in found if it.step > WARMUP]


def _less(all_: Iterable[Born], living: Iterable[Born]) -> list[Born]:
    """Return what has died of some."""
    left = {(it.site, it.step): it for it in living}
    found = []
    for it in all_:
        alive = left.get((it.site, it.step), it._replace(weight=0, nbytes=0))
        if it.weight > alive.weight:
            weight, nbytes = it.weight - alive.weight, it.nbytes - alive.nbytes
            found.append(it._replace(weight=weight, nbytes=nbytes))
    return found


def _keys(survivors: Iterable[Survivor | Born]) -> set[Key]:
    return {Key(it.what, it.site) for it in survivors}
