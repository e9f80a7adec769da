"""One look at everything that lives: survivors by holder, graphs by head, garbage by cycle.

A look holds tensors while it lasts, so it lasts as long as one function call of the judges.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from types import FrameType
from typing import Any

from garboard._shown.site import site_of
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._graphs import Graphs
from garboard.leaks.evidence._rows import Carried, Since, Survivor
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.evidence._survivors import survivors
from garboard.leaks.evidence._views import pinned_bytes
from garboard.leaks.holders._cycles import Cycle, cycle_through
from garboard.leaks.holders._describe import is_context
from garboard.leaks.holders._ephemerons import by_their_keys
from garboard.leaks.holders._groups import Group, age, grouped, is_container
from garboard.leaks.holders._holders import storing_of
from garboard.leaks.holders._hook_rows import hook_rows
from garboard.leaks.holders._mending import names_read_by
from garboard.leaks.holders._roots import (
    ANYWHERE,
    Opened,
    caller_file,
    is_of_other_thread,
    paths_to,
)
from garboard.leaks.holders._unasked import attributes_of, is_a, is_cache, module_of_class

__all__ = ["Look"]

_MOST_PATHS = 4096  # survivors whose way from a root is looked up; each stands for some others

_MOST_BESIDE = 3  # containers with the same tensors that are told of
_MOST_HEADS = 64  # that may carry on a graph besides the one that was found

_OF_PYTHON = ("tensor", "export")


class _Way(list[Any]):
    """The objects from a root to a tensor. Its class tells that it is a look's own, no holder."""


class Look:
    """What lives now, of what was born since a point in time.

    Args:
        evidence: What lives.
        since: Older births are no suspects.
        steps: Translates birth steps; without it they are the process's.
        is_suspect: Which survivors are looked at.
        loop_file: The source file of the loop or block; the innermost caller's by default.
        opened: Where the check begins.
        is_carrier: Which of what carries nodes, storages and hooks on is looked at.
        is_deep: Look, too, for what carries nodes and storages that no tensor leads to.
    """

    def __init__(
        self,
        evidence: Evidence,
        since: Since,
        steps: Steps | None,
        is_suspect: Callable[[Survivor], bool],
        loop_file: str = "",
        is_deep: bool = False,
        opened: Opened = ANYWHERE,
        is_carrier: Callable[[Survivor], bool] = lambda _: True,
    ) -> None:
        self._is_carrier = is_carrier
        self._opened = opened
        self._loop_file = loop_file or caller_file()
        self.evidence, self._since, self._steps = evidence, since, steps
        self._carried = Carried([], [], [])
        self.graphs = Graphs(evidence, since, steps)
        born = survivors(evidence, since.alias, steps, most=_MOST_PATHS)
        self.suspects = [it for it in born if is_suspect(it)]
        if is_deep:
            self._suspect_carriers()
        self._ways: dict[int, _Way] = {}  # to each tensor, by its address
        self.groups: list[Group] = []
        self.unreached: list[Survivor] = []
        self._find_groups()

    def _suspect_carriers(self) -> None:
        """Nodes and storages to which no tensor leads may be carried on by other objects."""
        self._carried = self.evidence.carriers(self.graphs.table)
        if self._steps is not None:
            self._carried.rows.extend(hook_rows(self.evidence, self._steps))
        self.suspects += filter(self._is_carrier, self._carried.rows)

    def _find_groups(self) -> None:
        asked = _thinned(self.suspects)
        reached = self._reached(asked)
        found = {it.serial for it, _ in reached if it.what in _OF_PYTHON}
        self.unreached = [it for it in asked if it.serial not in found and it.what in _OF_PYTHON]
        groups = self._with_keys(grouped(reached), reached)
        self.groups = _with_own_threads(_with_bare_ones(groups))
        for group in self.groups:
            self._add_figures(group)

    def _with_keys(
        self, groups: list[Group], reached: list[tuple[Survivor, list[Any]]]
    ) -> list[Group]:
        """Group anew what lies in containers whose items end with their keys: by what keeps the
        keys."""
        found: list[Group] = []
        for group in groups:
            own = {id(it) for it in group.survivors}
            paths = [it for it in reached if id(it[0]) in own]
            by_keys = by_their_keys(
                paths, group.holder, lambda keys, skip: paths_to(self.evidence, keys, skip=skip)
            )
            moved = {id(it) for it, _ in by_keys}
            if by_keys:
                found += grouped(by_keys)
            rest = [it for it in paths if id(it[0]) not in moved]
            found += [group] if not moved else grouped(rest) if rest else []
        return sorted(found, key=lambda it: it.survivors[0].serial)

    def _add_figures(self, group: Group) -> None:
        group.loop_file, group.opened = self._loop_file, self._opened
        group.graphs = self.graphs
        self._add_origin(group.survivors[-1])
        if all(it.is_view for it in group.survivors):
            storages = {it.storage for it in group.survivors}
            storages -= set(self.graphs.table.saved_among(list(storages)))
            group.pinned_bytes = pinned_bytes(self.evidence, storages)

    def _add_origin(self, survivor: Survivor) -> None:
        """Look up where the tensor behind an export was born, if that is new."""
        if survivor.what != "export" or survivor.storage < self._since.storage:
            return
        row = next(iter(self.evidence.storages(survivor.storage)), None)
        if row is not None and row.serial == survivor.storage:
            survivor.origin = row.site

    def _reached(self, asked: list[Survivor]) -> list[tuple[Survivor, list[Any]]]:
        """Return those that a root leads to, with the objects on the way."""
        if not asked:
            return []
        found = paths_to(self.evidence, [it.tensor for it in asked])
        ways = zip(asked, found, strict=True)
        self._ways.update((id(it.tensor), _Way(path)) for it, path in ways if path)
        return [(it, _of_graph(path)) for it, path in zip(asked, found, strict=True) if path]

    def groups_of(self, is_asked_for: Callable[[Survivor], bool]) -> list[Group]:
        """Group others of what lives, suspects or not."""
        alive = survivors(self.evidence, 0, self._steps)
        return grouped(self._reached([it for it in alive if is_asked_for(it)]))

    def beside(self, group: Group) -> list[Group]:
        """Return other containers that have what this one has, each as a group of some of it.

        What has the newest alone, such as a window, is none.
        """
        found: list[Group] = []
        is_list = is_container(group.holder) and not is_cache(group.holder)
        if not is_list or group.what != "tensor" or group.is_string:
            return found
        asked = [group.survivors[len(group.survivors) * i // 4] for i in (1, 2, 3)]
        tensors = [it.tensor for it in asked]
        wholes, hidden = list(group.holders), list[tuple[object, object]]()
        known = [self._ways.get(id(it)) for it in tensors]
        ways = known if all(known) else paths_to(self.evidence, tensors)
        paths: list[list[Any]] = [path for path in ways if path]
        while len(found) < _MOST_BESIDE and len(paths) == len(asked):
            hidden += [edge for path in paths for edge in _edges_from(path, wholes)]
            if not _may_have_others(paths, hidden, tensors):
                break
            paths = [path for path in paths_to(self.evidence, tensors, hidden) if path]
            groups = grouped(list(zip(asked, paths, strict=False)))
            is_alike = len(paths) == len(asked) and len(groups) == 1
            if not is_alike or not is_container(groups[0].holder) or is_cache(groups[0].holder):
                break
            self._add_figures(groups[0])
            wholes = list(groups[0].holders)
            found += groups
        return found

    def owner_of(self, head: Survivor) -> Group | None:
        """Return the way from a root to the head of a graph.

        Where a variable of a running function is the head, something else may carry the graph on
        from step to step, such as an attribute: the way to this one, then.
        """
        path = paths_to(self.evidence, [head.tensor])[0]
        own = grouped([(head, path)])[0] if path is not None else None
        if own is not None and _is_bare_local(own):
            return self._stored_in(head, own) or self._carrier_beside(head) or own
        return own

    def _stored_in(self, head: Survivor, own: Group) -> Group | None:
        """Return what keeps the head beside a variable that is none of what it is made of: the dict
        of `h = cell(x, states[name])` and `states[name] = h`."""
        found = storing_of(own.named, site_of(head.site))
        if found is None or own.named[-1].edge.name in names_read_by(found[1].value):
            return None
        hidden = [(own.chain[0].object, head.tensor)]
        path = paths_to(self.evidence, [head.tensor], hidden)[0]
        group = grouped([(head, path)])[0] if path is not None else None
        return None if group is None or _is_bare_local(group) else group

    def _carrier_beside(self, head: Survivor) -> Group | None:
        """Return the way to another head of nearly the same graph, which no bare variable has."""
        least = 0.8 * self.graphs.behind([head]).count
        alive = self.evidence.survivors(self._since.alias)
        late = [it for it in alive if it.node and it.step >= head.step - 1 and it.node != head.node]
        heads = [it for it in late[-_MOST_HEADS:] if self.graphs.behind([it]).count >= least]
        groups = [group for it in heads for group in grouped(self._reached([it]))]
        return next((it for it in reversed(groups) if not _is_bare_local(it)), None)

    def facts_of_unreached(self) -> tuple[list[Survivor], list[Survivor]]:
        """Return what arrays, capsules or buffers explain, and the others; without the tensors."""
        exported = {row.serial for row in self.evidence.storages() if row.is_exported}
        facts = [replace(it, tensor=None, scope=None) for it in self.unreached]
        outside = [it for it in facts if it.what == "export" or it.storage in exported]
        explained = {it.serial for it in outside}
        if outside:
            self._add_origin(outside[-1])
        return outside, [it for it in facts if it.serial not in explained]

    def cycles(self, outside: set[int], most: int = 4) -> list[Cycle]:
        """Return some cycles that hold what no root leads to; not what `outside` explains."""
        asked = [it for it in self.unreached if it.serial not in outside][:most]
        return [cycle for cycle in map(cycle_through, asked) if cycle is not None]

    def unexplained(self) -> tuple[list[int], list[int]]:
        """Return the serials of nodes and storages that nothing found so far leads to."""
        return self.graphs.table.unexplained(self._carried.nodes, self._carried.storages)

    def collect(self) -> set[int]:
        """Let go of everything, collect garbage, and return the serials of what still lives."""
        lists = (self.suspects, self.groups, self.unreached, self._carried.rows, self._ways)
        for holder in lists:
            holder.clear()
        gc.collect()
        return set(self.evidence.serials())


def _edges_from(path: list[Any], wholes: list[Any]) -> list[tuple[object, object]]:
    """Return the references by which a path leaves containers."""
    return [(it, held) for it, held in pairwise(path) if any(it is whole for whole in wholes)]


def _may_have_others(
    paths: list[list[Any]], hidden: list[tuple[object, object]], own: list[Any]
) -> bool:
    """Tell whether something else may lead to the end of each path, behind hidden references.

    `own` is a list of this very search's that has them. A search that finds nothing goes through
    all objects there are; this costs a fourth of it.
    """
    begins = {(id(whole), id(held)) for whole, held in hidden}
    ways = []
    for path in paths:
        left = [i for i, edge in enumerate(pairwise(path)) if tuple(map(id, edge)) in begins]
        if not left:  # by something that is made for each search, such as what `atexit` calls
            return False
        ways.append(path[left[-1] + 1 :])
    asked = [it for way in ways for it in way]
    known = {id(it) for it in (*asked, *paths, *ways, *hidden)}
    known |= {id(whole) for whole, _ in hidden} | {id(asked), id(own)}
    others = [
        it
        for it in gc.get_referrers(*asked)
        if id(it) not in known and not is_a(it, FrameType) and not _is_of_a_look(type(it))
    ]
    found = {id(it) for other in others for it in gc.get_referents(other)}
    return all(any(id(it) in found for it in way) for way in ways)


def _is_of_a_look(cls: type) -> bool:
    """Tell whether objects of a class are this very search's."""
    return module_of_class(cls).startswith("garboard.leaks")


def _is_bare_local(group: Group) -> bool:
    return len(group.chain) == 2 and group.chain[1].edge.kind == "local"


def _thinned(suspects: list[Survivor]) -> list[Survivor]:
    """Return some of very many, which stand for those before them, too."""
    apart = -(-len(suspects) // _MOST_PATHS)
    if apart <= 1:
        return suspects
    found = suspects[apart - 1 :: apart]
    for it in found:
        it.weight *= apart
    return found


def _of_graph(path: list[Any]) -> list[Any]:
    """Begin at a `ctx` to which a tensor leads: it is the graph's, whoever keeps the tensor."""
    for i in range(len(path) - 1, 0, -1):
        if is_context(path[i]) and is_one("tensor", path[i - 1]):
            return path[i:]
    return path


def _with_bare_ones(groups: list[Group]) -> list[Group]:
    """Put a tensor that a variable holds, too, into the group of the container that has it."""
    wholes = [group for group in groups if is_container(group.holder)]
    kept = []
    for group in groups:
        tensor = group.survivors[0].tensor
        home = next((it for it in wholes if it is not group and it.has_item(tensor)), None)
        if home is None or group.is_contained:
            kept.append(group)
        else:
            home.survivors = sorted([*home.survivors, *group.survivors], key=lambda it: it.serial)
    return kept


def _with_own_threads(groups: list[Group]) -> list[Group]:
    """Put what threads were given, and `threading` keeps, to what they have in their frames."""
    given = [it for it in groups if it.holder is attributes_of(threading).get("_active")]
    frames = next((it for it in groups if it.is_of_threads), None)
    if frames is None:
        frames, given = next(iter(given), None), [it for it in groups if _is_one_of(given, it)]
    if frames is None:
        return groups
    for group in given:
        frames.survivors = sorted([*group.survivors, *frames.survivors], key=age)
        frames.thing_count += group.thing_count
    return [it for it in groups if all(it is not other for other in given)]


def _is_one_of(given: list[Group], group: Group) -> bool:
    """Tell whether a thread's frame has what a thread like the others was given."""
    root = group.chain[0].object
    if not given or not is_a(root, FrameType) or not is_of_other_thread(root):
        return False
    lines = {it.site for other in given for it in other.survivors}
    return lines >= {it.site for it in group.survivors}
