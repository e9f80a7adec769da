"""One cause, one finding: what hangs behind another finding is a figure of that one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._leak import GRAVITY, Leak, Verdict
from garboard.leaks.holders._describe import function_name, is_context
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._patches import together
from garboard.leaks.kinds import kind_called

__all__ = ["Case", "one_for_each_cause", "one_for_each_line", "one_for_each_statement"]


class Case(NamedTuple):
    """A group that is worth a finding."""

    group: Group
    kind: Kind
    verdict: Verdict


def one_for_each_cause(cases: Sequence[Case]) -> list[Case]:
    """Leave out what another case explains.

    What a hook captures goes with the hooks that pile up. A Function whose contexts keep tensors is
    the cause of those, whoever keeps its outputs.
    """
    tables = {id(it.group.chain[-1].object) for it in cases if it.group.what == "hook"}
    functions = {
        function_name(it.group.chain[0].object)
        for it in cases
        if is_context(it.group.chain[0].object)
    }
    return [
        it
        for it in cases
        if it.group.what == "hook"
        or not (_passes_any(it.group, tables) or _is_output(it.group, functions))
    ]


def one_for_each_line(leaks: Sequence[Leak]) -> list[Leak]:
    """Leave out graphs that grow by a statement of which another one is told.

    `sums[name] = sums[name] + loss` in a loop over names is one line to change.
    """
    found: dict[object, Leak] = {}
    for leak in leaks:
        is_known = leak.holder_site is not None
        found.setdefault((leak.kind, leak.site, leak.holder_site) if is_known else id(leak), leak)
    return list(found.values())


def one_for_each_statement(leaks: Iterable[Leak], cases: Sequence[Case] = ()) -> list[Leak]:
    """Put together what one statement stores into several holders, or of several births.

    The gravest stands for them, and of these what is most exact.

    Args:
        leaks: The findings.
        cases: What each is made of, where a patch of the program's file is wanted.
    """
    found: list[list[tuple[Leak, Case | None]]] = []
    known: dict[object, list[tuple[Leak, Case | None]]] = {}
    both = zip_longest(leaks, cases)
    for leak, case in sorted(both, key=lambda it: _importance(it[0])):
        its = next((known[it] for it in leak.statements if it in known), None)
        if its is None:
            its = []
            found.append(its)
        its.append((leak, case))
        known.update((it, its) for it in leak.statements if it not in known)
    return [_joined(its) for its in _by_reset(found)]


def _by_reset(
    found: Sequence[list[tuple[Leak, Case | None]]],
) -> list[list[tuple[Leak, Case | None]]]:
    """Put together what one object has, of which all is to be ended at once: `metric.reset()`."""
    kept: dict[object, list[tuple[Leak, Case | None]]] = {}
    for its in found:
        leak, case = its[0]
        is_at_once = case is not None and case.kind.is_of_one_epoch
        kept.setdefault((leak.kind, leak.fix) if is_at_once else id(its), []).extend(its)
    return list(kept.values())


def _joined(its: Sequence[tuple[Leak, Case | None]]) -> Leak:
    (first, _), *others = its
    if not others:
        return first
    cases = [case for _, case in its if case is not None and case.kind.name == first.kind]
    patches = [it.kind.patch_group(it.group) for it in cases if it.kind.patch_group]
    diff = str(together(patches)) if patches else first.diff
    return replace(first.with_more([leak for leak, _ in others]), diff=diff)


def _importance(leak: Leak) -> tuple[int, int]:
    return GRAVITY.index(leak.verdict), kind_called(leak.kind).rank


def _passes_any(group: Group, tables: set[int]) -> bool:
    return any(id(link.object) in tables for link in group.chain)


def _is_output(group: Group, functions: set[str]) -> bool:
    if not functions or is_context(group.chain[0].object):
        return False
    return any(name.rpartition(".")[2] in group.behind.names for name in functions)
