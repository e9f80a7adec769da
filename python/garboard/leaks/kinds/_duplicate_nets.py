"""A network is built more often than it is used: the second net of a subclass.

    class Child(Base):
        def __init__(self):
            super().__init__()      # builds a net, and Base.built keeps it
            self.net = build()      # a second one: override build() instead

Evidence: a container gains whole networks at every step, or several of one line in a single one:
LEAK. Or a class with subclasses keeps one of which no parameter has a gradient, while others are
trained: RETAINED.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from garboard import _engine
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._tensors import living_parameters
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._making import counted
from garboard.leaks.holders._groups import Group, cohorts_of, is_container
from garboard.leaks.holders._look import Look
from garboard.leaks.holders._unasked import items_of

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    """Parameters of several networks of one line, each with all of its own."""
    if not any(is_one("parameter", it.tensor) for it in group.survivors):
        return False
    is_whole = any(is_one("module", link.object) for link in group.chain[group.at + 1 :])
    return is_whole and _built(group) > 1


def _built(group: Group) -> int:
    """Return how many networks the holders have that were built at one line.

    What is gained in several steps is several. In a single one a cache may have built its only one.
    """
    items = [item for it in group.holders if is_container(it) for item in items_of(it)]
    if not items or len(cohorts_of(group.survivors)) > 1:
        return group.size()
    found = _engine._holder_paths([items], [it.tensor for it in group.survivors], [])
    nets: dict[int, set[int]] = {}
    for it, path in zip(group.survivors, found, strict=True):
        if path is not None and any(is_one("module", link) for link in path):
            nets.setdefault(it.site, set()).add(id(path[0]))
    return max(map(len, nets.values()), default=0)


def _spare_nets(look: Look) -> list[Group]:
    """Find networks in a class attribute of a class with subclasses, of which no parameter has a
    gradient, while other parameters are trained.

    A frozen network asks for no gradients; one that is held by a variable or another network is in
    use.
    """
    asking = [it for it in living_parameters() if it.requires_grad]
    untrained = {id(it) for it in asking if it.grad is None}
    if not untrained or len(untrained) == len(asking):
        return []
    groups = look.groups_of(lambda it: id(it.tensor) in untrained)
    return [group for group in groups if _is_kept_by_parent(group)]


def _is_kept_by_parent(group: Group) -> bool:
    """Tell whether a container in an attribute of a class with subclasses holds whole networks."""
    for before, link in pairwise(group.named):
        if link.edge.kind == "class attribute" and _has_subclass(before.object):
            return any(is_one("module", it.object) for it in group.chain[group.at :])
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
    figures=lambda group: f"of {counted(_built(group), 'net')}",
    fix="build the net once: override the method that builds it, and let {name} go",
)
