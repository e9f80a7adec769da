"""Tries what has grown: it is looked at, named, and judged; the rules are in `_verdicts`.

Only LEAK is announced. A container that its structure, its author or an epoch empties is none; a
single event is none; what only a running frame's variable holds ends with the frame.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence

from garboard._shown.site import Site, site_of
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._graphs import Chain, Graphs
from garboard.leaks.evidence._rows import Born, Key, Since, Survivor
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.evidence._views import LEAST_PINNED
from garboard.leaks.findings._beside import with_beside
from garboard.leaks.findings._leak import Leak, Verdict
from garboard.leaks.findings._making import (
    leak_of_cycles,
    leak_of_graph,
    leak_of_group,
    leak_of_scattered,
    leak_of_swelling,
    leak_of_unreached,
)
from garboard.leaks.holders._cycles import Cycle
from garboard.leaks.holders._groups import Group, cohorts_of, may_gain
from garboard.leaks.holders._look import Look
from garboard.leaks.holders._roots import Opened
from garboard.leaks.holders._unasked import is_disposed
from garboard.leaks.holders._windows import is_ever_longer, is_window
from garboard.leaks.judging._causes import (
    Case,
    one_for_each_cause,
    one_for_each_line,
    one_for_each_statement,
)
from garboard.leaks.judging._collected import held_off
from garboard.leaks.judging._exemptions import Exemptions
from garboard.leaks.judging._growth import (
    ENDLESS,
    LEAST_COHORTS,
    WARMUP,
    is_steady,
)
from garboard.leaks.judging._tracker import Tracker, is_long
from garboard.leaks.judging._verdicts import Verdicts, is_of_every_step, key_of, keys_of
from garboard.leaks.kinds import all_kinds, kind_of_cycle, kind_of_graph, kind_of_group, may_stand
from garboard.leaks.kinds._export_pin import KIND as EXPORT_PIN
from garboard.leaks.kinds._growing_tensor import KIND as GROWING_TENSOR
from garboard.leaks.kinds._native_cycle import KIND as NATIVE_CYCLE
from garboard.leaks.kinds._unknown import KIND as UNKNOWN

__all__ = ["Trial"]

_UNWALKED = 5  # confirmations a graph needs through which no backward pass has gone


class Trial:
    """One round of verdicts after step `now`; `notes` tell what was let off.

    `within` tells how many frames deep a phase was begun that ends with its block, or is 0.
    """

    def __init__(
        self,
        evidence: Evidence,
        now: int,
        since: Since,
        steps: Steps,
        tracker: Tracker,
        exemptions: Exemptions,
        opened: Opened,
        within: int = 0,
    ) -> None:
        self._evidence, self._opened = evidence, opened
        self._now, self._since, self._steps = now, since, steps
        self._tracker, self._exemptions = tracker, exemptions
        self._verdicts = Verdicts(now, steps, tracker, within, evidence.memory_limit)
        self.notes = self._verdicts.notes
        self._is_collecting = gc.isenabled()
        self._explained: set[int] = set()  # groups of this look that something was said of

    def graphs(self) -> list[Leak]:
        """Judge growing graphs, between two reports."""
        look = self._look(lambda _: False)
        return self._judge_graphs(look, is_final=False)

    def tensors(self, keys: set[Key]) -> list[Leak]:
        """Judge the survivors of some lines, between two reports."""
        with held_off():
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
        with held_off():
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
        with held_off():
            is_deep = bool(self._tracker.unseen(self._now))
            look = self._look(self._may_be, is_deep)
            leaks = self._judge_graphs(look, is_final=True)
            leaks += self._judge_groups(look, is_final=True)
            leaks += self._search(look, {leak.kind for leak in leaks})
            leaks += self._judge_swelling(look, {leak.site for leak in leaks})
            leaks += self._judge_scattered(look, is_final=True)
            rest = look.unexplained() if is_deep else ([], [])
            leaks += self._judge_unreached(look)
            if any(rest) and not any(leak.verdict == "CYCLE" for leak in leaks):
                leaks += self._judge_rest(look.graphs, *rest)
            return leaks

    def _judge_scattered(self, look: Look, is_final: bool = False) -> list[Leak]:
        """Judge what grows tensor by tensor, each with a holder of its own.

        At the end, too, what lies in several holders of which none explains it all.
        """
        apart: dict[Key, list[Group]] = {}
        for group in look.groups:
            if len(group.survivors) == 1 or (is_final and id(group) not in self._explained):
                for key in keys_of(group.survivors):
                    apart.setdefault(key, []).append(group)
        found = []
        for key, own in sorted(apart.items()):
            its = [it for group in own for it in group.survivors if key == key_of(it)]
            cohorts, age = cohorts_of(its), self._now - min(it.step for it in its)
            is_likely = self._tracker.is_confirmed([key])
            if not is_likely or not self._verdicts.is_spread_and_steady(cohorts):
                continue
            if self._tracker.periods.is_usual(key, age, self._now):
                continue
            is_each_alone = all(len(group.survivors) == 1 for group in own)
            is_certain = is_each_alone and is_of_every_step(cohorts)
            verdict: Verdict = "LEAK" if is_certain else "GROWING"
            found.append(leak_of_scattered(own, its, UNKNOWN, verdict, self._now))
        return found

    def _judge_swelling(self, look: Look, known: set[Site]) -> list[Leak]:
        """Judge the largest tensor of each line of which more and more bytes live."""
        found = []
        for it in self._tracker.swelling.swollen(self._now):
            place = site_of(it.site)
            if place in known or (it.is_small and not is_ever_longer(place.file, place.line)):
                continue
            held = [group for group in look.groups if group.survivors[-1].site == it.site]
            if not held:
                continue
            # What grows may be what graphs have saved, beside small tensors of the same line.
            own = (row for group in look.groups for row in group.survivors if row.site == it.site)
            if 2 * sum(row.nbytes * row.weight for row in own) < it.last - it.first:
                continue
            group = max(held, key=lambda group: max(row.nbytes for row in group.survivors))
            if note := self._exemptions.note_for(group):
                self.notes.append(note)
                continue
            sizes = it.first, it.last
            found.append(leak_of_swelling(group, GROWING_TENSOR, it.since, sizes, self._now))
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
        if not found or not self._verdicts.is_spread_and_steady(cohorts_of(found)):
            return []
        return [leak_of_unreached(found, NATIVE_CYCLE, "LEAK", self._now)]

    def _is_piling(self, found: Sequence[Born]) -> bool:
        return self._tracker.is_confirmed(keys_of(found))

    def _is_much(self, nbytes: int) -> bool:
        """Tell whether bytes that waited for the collector are worth a word."""
        live_bytes = self._evidence.total_bytes()
        return nbytes > max(LEAST_PINNED, (live_bytes + nbytes) // 20)

    def _judge_unnamed(self, found: Sequence[Born]) -> list[Leak]:
        grown = [it for it in found if self._tracker.is_confirmed(keys_of([it]))]
        if not grown or not self._verdicts.is_spread_and_steady(cohorts_of(grown)):
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
        return one_for_each_line([leak for leak in found if leak is not None])

    def _judge_graph(self, look: Look, chain: Chain, is_final: bool) -> Leak | None:
        if self._exemptions.is_excluded(chain.head.serial):
            return None
        needed = 2 if chain.was_walked else _UNWALKED
        verdict: Verdict = "LEAK"
        is_certain = self._tracker.graph_streak(chain) >= needed
        if self._may_be_window(chain, is_certain):
            return None
        if not is_certain:
            if not is_final or self._tracker.is_begun_anew(chain):
                return None
            if not is_steady(chain.steps, self._now):
                return None
            verdict = "GROWING"
        owner = look.owner_of(chain.head)
        if owner is not None and (note := self._exemptions.note_for(owner)):
            self.notes.append(note)
            return None
        if not is_final:
            self._tracker.put_off_graphs(self._now)
        return leak_of_graph(chain, owner, kind_of_graph(chain, owner), verdict, self._now)

    def _may_be_window(self, chain: Chain, is_certain: bool) -> bool:
        """Tell whether it is the graph of a sequence, or of an inner loop, that will end.

        Such graphs have ended at that age before; or the program begins them anew. They may yet
        have their backward pass, unless one has gone through the steps that are over.
        """
        age = self._now - min(chain.steps)
        if self._tracker.periods.is_usual(Key("node", chain.site), age, self._now):
            return True
        if age > ENDLESS or (
            is_certain and self._tracker.was_walked(chain) and not chain.is_retained
        ):
            return False
        site = site_of(chain.site)
        return is_window(site.file, site.line)

    # Tensors behind holders

    def _judge_groups(self, look: Look, is_final: bool) -> list[Leak]:
        self._exemptions.meet(look.groups)
        found = []
        for group in look.groups:
            if not self._is_a_case(group, is_final):
                if self._is_at_its_cap(group):
                    self._explained.add(id(group))
                continue
            kind = kind_of_group(group)
            verdict = self._verdicts.verdict(group, kind, is_final)
            if verdict is not None or may_gain(group.holder):
                self._explained.add(id(group))
            if verdict is None:
                continue
            if note := self._exemptions.note_for(group):
                self.notes.append(note)
                continue
            found.append(Case(group, kind, verdict))
        cases = one_for_each_cause(found)
        leaks = [self._leak_of(look, it) for it in cases]
        return one_for_each_statement(leaks, cases)

    def _leak_of(self, look: Look, case: Case) -> Leak:
        """Describe a group, with other containers that have the same tensors."""
        group, kind, verdict = case
        leak = leak_of_group(group, kind, verdict, self._now)
        others = [it for it in look.beside(group) if self._exemptions.note_for(it) is None]
        if not others:
            return leak
        kinds = [kind, *map(kind_of_group, others)]
        told = [
            (leak_of_group(it, of_it, verdict, self._now), it)
            for it, of_it in zip(others, kinds[1:], strict=True)
        ]
        patches = [
            of_it.patch_group(it)
            for it, of_it in zip((group, *others), kinds, strict=True)
            if of_it.patch_group
        ]
        return with_beside((leak, group), told, patches)

    def _is_at_its_cap(self, group: Group) -> bool:
        """Tell whether a container changes its items and gains none."""
        return may_gain(group.holder) and not self._verdicts.has_grown(group)

    def _is_a_case(self, group: Group, is_final: bool) -> bool:
        return self._grows(group, is_final) or (is_final and may_stand(group))

    def _grows(self, group: Group, is_final: bool) -> bool:
        keys = keys_of(group.survivors)
        if self._steps.epochs:
            return self._tracker.epoch_streak(keys) >= 1
        is_confirmed = self._tracker.is_confirmed(keys)
        if not is_confirmed and not is_final:
            self._verdicts.has_grown(group)  # for the next look
            self._verdicts.note_slots(group)
        is_rising = self._tracker.streak_of(keys) >= 2 or self._tracker.is_rising(keys, self._now)
        is_likely = is_confirmed or (is_final and is_rising)
        return is_likely and self._verdicts.is_spread_and_steady(cohorts_of(group.survivors))

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
            is_confirmed = self._tracker.is_confirmed(keys_of(living))
            if is_confirmed and self._verdicts.is_spread_and_steady(cohorts_of(living)):
                verdict: Verdict = "GROWING" if kind is UNKNOWN else "LEAK"
                leaks.append(leak_of_unreached(living, kind, verdict, self._now))
        return leaks

    def _judge_garbage(self, cycles: list[Cycle], dead: list[Survivor]) -> list[Leak]:
        """What died in the collector alone is worth a word where it is much, or piles up."""
        nbytes = sum(it.nbytes for it in dead)
        lines = keys_of(dead)
        # Where the program keeps the collector off, this look has ended what was to be confirmed.
        is_piling = self._tracker.is_confirmed(lines) or (
            not self._is_collecting and self._tracker.is_nearly_confirmed(lines)
        )
        if not cycles or not dead or not (is_piling or self._is_much(nbytes)):
            return []
        return [leak_of_cycles(cycles, kind_of_cycle(cycles[-1]), len(dead), nbytes, self._now)]


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
