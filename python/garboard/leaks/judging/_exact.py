"""The exact form: nothing born in a judged stretch may outlive it. No statistics."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence

from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._graphs import Chain, Graphs
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._rows import Born, Since, Survivor
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.evidence._survivors import registered_hooks
from garboard.leaks.findings._leak import Leak
from garboard.leaks.findings._making import leak_of_graph, leak_of_group, leak_of_unreached
from garboard.leaks.holders._groups import Group, cohorts_of
from garboard.leaks.holders._look import Look
from garboard.leaks.holders._unasked import attributes_of, is_disposed
from garboard.leaks.judging._causes import (
    Case,
    one_for_each_cause,
    one_for_each_line,
    one_for_each_statement,
)
from garboard.leaks.judging._checked import Checked, Judgement
from garboard.leaks.judging._exemptions import Exemptions, without_ignored
from garboard.leaks.judging._growth import LEAST_COHORTS
from garboard.leaks.kinds import kind_of_graph, kind_of_group
from garboard.leaks.kinds._export_pin import KIND as EXPORT_PIN
from garboard.leaks.kinds._native_cycle import KIND as NATIVE_CYCLE
from garboard.leaks.kinds._unknown import KIND as UNKNOWN
from garboard.leaks.kinds._variable import KIND as VARIABLE

__all__ = ["judged"]


def judged(
    since: Since,
    steps: Steps | None = None,
    measured: Sequence[int] = (),
    is_exempt: Callable[[Survivor], bool] = lambda _: False,
    loop_file: str = "",
    spared: Sequence[object] = (),
    evidence: Evidence = EVIDENCE,
) -> Judgement:
    """Report what was born since a point in time and still lives.

    Args:
        since: Where the stretch began.
        steps: Counts repetitions, where there were any.
        measured: Those that count; a leak has survivors of each.
        is_exempt: Tells what is none of the stretch's business.
        loop_file: The stretch's source file; the innermost caller's by default.
        spared: Objects that end with the stretch, and what they hold with them.
        evidence: What lives.
    """
    born = evidence.now().alias - since.alias
    whats = {it.what for it in evidence.births(since, 0, _LAST_STEP)}
    if measured and registered_hooks(evidence):
        whats.add("hook")
    if not whats:
        return Judgement((), (), Checked(len(measured), born, 0))
    exact = _Exact(
        evidence, since, steps, measured, is_exempt, loop_file, spared, bool(whats & _UNSEEN)
    )
    leaks, notes = without_ignored(exact.leaks())
    alive = len(evidence.serials(since.alias))
    return Judgement(
        tuple(sorted(leaks, key=lambda leak: leak.gravity)),
        tuple([*exact.notes, *notes, *evidence.notes]),
        Checked(len(measured), born, alive),
    )


_LAST_STEP = 2**32 - 1
_UNSEEN = {"node", "storage", "hook"}  # what is no tensor of Python's


class _Exact:
    def __init__(
        self,
        evidence: Evidence,
        since: Since,
        steps: Steps | None,
        measured: Sequence[int],
        is_exempt: Callable[[Survivor], bool],
        loop_file: str,
        spared: Sequence[object],
        is_deep: bool,
    ) -> None:
        self._evidence, self._spared = evidence, spared
        self._since, self._steps, self._measured = since, steps, measured
        self._last = max(measured, default=0)
        self._is_exempt = is_exempt
        self._exempt: set[int] = set()  # steps of what is let off: a leak may have had it, too
        self._look = Look(
            evidence,
            since,
            steps,
            self._is_suspect,
            loop_file,
            is_deep=is_deep,
            is_carrier=self._is_new,
        )
        self._exemptions = Exemptions(evidence)
        self.notes: list[str] = []

    def leaks(self) -> list[Leak]:
        all_ = [case for group in self._look.groups if (case := self._of_group(group))]
        cases = one_for_each_cause(all_)
        leaks = [leak_of_group(it.group, it.kind, it.verdict, self._last) for it in cases]
        found = one_for_each_statement(leaks, cases)
        chains = [self._of_chain(chain) for chain in self._chains()]
        found += one_for_each_line([leak for leak in chains if leak is not None])
        _, unexplained = self._look.unexplained()
        found += self._of_unreached()
        return found + self._of_rest(unexplained)

    def _chains(self) -> list[Chain]:
        """Return the graphs that may be findings: of many steps, or behind an older tensor."""
        if self._measured:
            return self._look.graphs.chains(len(self._measured))
        return self._look.graphs.chains(LEAST_COHORTS, before=self._since.alias)

    def _is_suspect(self, survivor: Survivor) -> bool:
        if not self._counts(survivor.step) or is_disposed(survivor.tensor):
            return False
        if self._is_exempt(survivor):
            self._exempt.add(survivor.step)
            return False
        return True

    def _is_new(self, carrier: Survivor) -> bool:
        """Tell whether an object that carries others on is the stretch's own.

        An optimizer that was there before may make its state in it.
        """
        if not self._counts(carrier.step):
            return False
        if carrier.what == "hook":
            return bool(self._measured)
        born = attributes_of(carrier.tensor).get("_born") if carrier.what == "storage" else None
        return born is None or born > self._since.alias

    def _of_rest(self, storages: list[int]) -> list[Leak]:
        """What lives although no tensor, no optimizer and no graph of one leads to it."""
        if not self._counted(self._look.graphs.count_unheld(storages)):
            return []
        gc.collect()
        graphs = Graphs(self._evidence, self._since, self._steps)
        left = self._counted(graphs.count_unheld(storages))
        if not left or not self._is_of_all(cohorts_of(left)):
            return []
        closed = self._counted(graphs.unheld_at(self._evidence.native_cycles(storages)))
        is_closed = sum(it.weight for it in closed) == sum(it.weight for it in left)
        return [leak_of_unreached(left, NATIVE_CYCLE if is_closed else UNKNOWN, "LEAK", self._last)]

    def _counted(self, found: list[Born]) -> list[Born]:
        return [it for it in found if self._counts(it.step)]

    def _counts(self, step: int) -> bool:
        return not self._measured or step in self._measured

    def _is_of_all(self, cohorts: Mapping[int, int]) -> bool:
        met = [step in cohorts or step in self._exempt for step in self._measured]
        return all(met) and len(cohorts) >= min(len(met), 2)

    def _of_group(self, group: Group) -> Case | None:
        if not self._is_of_all(cohorts_of(group.survivors)) or _is_owned(group):
            return None
        if any(link.object is it for link in group.chain for it in self._spared):
            return None
        if group.bound() is not None:
            self.notes.append(self._exemptions.note_for(group) or "")
            return None
        kind = kind_of_group(group)
        if not group.is_contained and (group.pinned_bytes or group.what == "storage"):
            kind = VARIABLE
        return Case(group, kind, "LEAK")

    def _of_chain(self, chain: Chain) -> Leak | None:
        """A graph that has grown: behind a head that is older, or over many steps."""
        is_new = chain.head.serial >= self._since.alias and not self._measured
        if is_new and (self._steps is None or len(chain.steps) < LEAST_COHORTS):
            return None  # a head of this stretch is a finding of its own
        if not self._is_of_all(chain.steps) or len(chain.steps) < len(self._measured):
            return None
        owner = self._look.owner_of(chain.head)
        return leak_of_graph(chain, owner, kind_of_graph(chain, owner), "LEAK", self._last)

    def _of_unreached(self) -> list[Leak]:
        """What no root leads to is garbage, unless it survives the collector. Ends the look."""
        if not self._look.unreached:
            return []
        outside, others = self._look.facts_of_unreached()
        alive, found = self._look.collect(), []
        for kind, left in ((EXPORT_PIN, outside), (UNKNOWN, others)):
            living = [it for it in left if it.serial in alive]
            if living and self._is_of_all(cohorts_of(living)):
                found.append(leak_of_unreached(living, kind, "LEAK", self._last))
        return found


def _is_owned(group: Group) -> bool:
    """Tell whether living modules own the tensors: parameters and buffers, not outputs they keep.

    A module that a container gained is no owner: it is what leaks.
    """
    owner = group.chain[-2].object if not group.is_contained else None
    if not is_one("module", owner):
        return False
    space = attributes_of(owner)
    return any(
        group.chain[-1].edge.name in space.get(roles, ())
        for roles in ("_roles", "_parameters", "_buffers")
    )
