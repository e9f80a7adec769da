"""Networks that a class keeps and nobody trains: the second net of a subclass."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from garboard import _engine
from garboard.leaks._describe import loaded_class
from garboard.leaks._groups import Group
from garboard.leaks._judge import leak_of_group
from garboard.leaks._kind import Kind
from garboard.leaks._leak import Leak
from garboard.leaks._look import Look
from garboard.leaks._unasked import is_a

__all__ = ["spare_nets"]


def spare_nets(look: Look, now: int, known: list[Leak]) -> list[Leak]:
    """Find networks in a class attribute of a class with subclasses, of which no parameter has a
    gradient, while other parameters are trained.

    A frozen network asks for no gradients; one that is held by a variable or another network is in
    use. What is reported already is left out.
    """
    parameter = loaded_class("garboard.nn", "Parameter")
    if parameter is None or any(leak.kind == Kind.DUPLICATE_NETS for leak in known):
        return []
    living: list[Any] = [
        row["tensor"] for row in _engine._aliases(0) if is_a(row["tensor"], parameter)
    ]
    asking = [it for it in living if it.requires_grad]
    untrained = {id(it) for it in asking if it.grad is None}
    if not untrained or len(untrained) == len(asking):
        return []
    groups = look.groups_of(lambda it: id(it.tensor) in untrained)
    return [
        leak_of_group(group, Kind.DUPLICATE_NETS, "RETAINED", now)
        for group in groups
        if _is_kept_by_parent(group)
    ]


def _is_kept_by_parent(group: Group) -> bool:
    """Tell whether a container in an attribute of a class with subclasses holds whole networks."""
    module = loaded_class("garboard.nn", "Module")
    for before, link in pairwise(group.named):
        if link.edge.kind == "class attribute" and _has_subclass(before.object):
            below = (it.object for it in group.chain[group.at :])
            return module is not None and any(is_a(it, module) for it in below)
    return False


def _has_subclass(cls: Any) -> bool:
    return bool(type.__subclasses__(cls))
