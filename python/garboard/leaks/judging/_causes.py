"""One cause, one finding: what hangs behind another finding is a figure of that one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._leak import GRAVITY, Leak, Verdict
from garboard.leaks.holders._describe import function_name, is_context
from garboard.leaks.holders._groups import Group
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


def one_for_each_statement(leaks: Iterable[Leak]) -> list[Leak]:
    """Put together what one statement stores, of one birth, into several holders.

    The gravest stands for them, and of these what is most exact.
    """
    found: dict[object, list[Leak]] = {}
    for leak in sorted(leaks, key=_importance):
        found.setdefault(leak.statement or id(leak), []).append(leak)
    return [first.with_more(others) for first, *others in found.values()]


def _importance(leak: Leak) -> tuple[int, int]:
    return GRAVITY.index(leak.verdict), kind_called(leak.kind).rank


def _passes_any(group: Group, tables: set[int]) -> bool:
    return any(id(link.object) in tables for link in group.chain)


def _is_output(group: Group, functions: set[str]) -> bool:
    if not functions or is_context(group.chain[0].object):
        return False
    return any(name.rpartition(".")[2] in group.behind.names for name in functions)
