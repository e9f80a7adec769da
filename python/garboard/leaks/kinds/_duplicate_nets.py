"""A network is built more often than it is used: the second net of a subclass.

    class Child(Base):
        def __init__(self):
            super().__init__()      # builds a net, and Base.built keeps it
            self.net = build()      # a second one: override build() instead

Evidence: a container gains whole networks at every step: LEAK. Or a class with subclasses keeps one
of which no parameter has a gradient, while others are trained: RETAINED.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from garboard import _engine
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._making import counted
from garboard.leaks.holders._describe import loaded_class
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._look import Look
from garboard.leaks.holders._unasked import is_a

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    """Parameters of several networks, each with all of its own."""
    parameter = loaded_class("garboard.nn", "Parameter")
    module = loaded_class("garboard.nn", "Module")
    if parameter is None or module is None:
        return False
    if not any(is_a(it.tensor, parameter) for it in group.survivors):
        return False
    below = [link.object for link in group.chain[group.at :]]
    return any(is_a(it, module) for it in below)


def _spare_nets(look: Look) -> list[Group]:
    """Find networks in a class attribute of a class with subclasses, of which no parameter has a
    gradient, while other parameters are trained.

    A frozen network asks for no gradients; one that is held by a variable or another network is in
    use.
    """
    parameter = loaded_class("garboard.nn", "Parameter")
    if parameter is None:
        return []
    asking = [it for it in _engine._tensors_of_class(parameter) if it.requires_grad]
    untrained = {id(it) for it in asking if it.grad is None}
    if not untrained or len(untrained) == len(asking):
        return []
    groups = look.groups_of(lambda it: id(it.tensor) in untrained)
    return [group for group in groups if _is_kept_by_parent(group)]


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


KIND = Kind(
    name="duplicate-nets",
    family="NETS",
    text=__doc__ or "",
    rank=100,
    fits=_fits,
    search=_spare_nets,
    figures=lambda group: f"of {counted(group.size(), 'net')}",
    fix="build the net once: override the method that builds it, and let {name} go",
)
