"""What to change, written into the user's own line where that can be read."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from garboard._shown.site import Site, site_of
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import expression, storing_of
from garboard.leaks.holders._hops import Link
from garboard.leaks.holders._library import is_of_library
from garboard.leaks.holders._mending import mended_sum, with_ending
from garboard.leaks.holders._patches import (
    NO_PATCH,
    Patch,
    bounded_after,
    with_method_on_stored,
    with_method_on_sum,
)
from garboard.leaks.holders._source import Storing, accumulation_at
from garboard.leaks.holders._unasked import is_a

__all__ = ["Accumulating", "accumulating", "patch_bounding", "patch_stored", "stored_as"]


class Accumulating(NamedTuple):
    """The statement that makes a graph grow.

    Attributes:
        name: What accumulates, as the program calls it.
        is_augmented: True for `name += value`.
        is_scalar: True where numbers would do.
        statement: The whole, as text; empty where it cannot be read.
        site: Where it stands, if it can be read.
    """

    name: str
    is_augmented: bool
    is_scalar: bool
    statement: str = ""
    site: Site = Site("", 0, "")

    def with_ending(self, ending: str) -> str | None:
        """Return the statement with `.ending()` behind what it adds."""
        return mended_sum(self.statement, ending) if self.statement else None

    def patch(self, ending: str) -> Patch:
        """Return the same as a change of the user's file."""
        return with_method_on_sum(self.site.file, self.site.line, ending)


def accumulating(site: Site, holder: Sequence[Link], is_scalar: bool) -> Accumulating:
    """Read what a graph that grows at `site` accumulates.

    Where the line there updates something else than the last object of the chain `holder`, it is
    not the line to mend.
    """
    found = None if is_of_library(site.file) else accumulation_at(site.file, site.line)
    if found is None or (holder and found.name != holder[-1].edge.name):
        name = expression(holder) or "the sum"
        return Accumulating(name, False, is_scalar)
    return Accumulating(found.target, found.is_augmented, is_scalar, found.statement, site)


def stored_as(group: Group, ending: str) -> str | None:
    """Return the statement that stores into the holder, with `.ending()` behind the tensor."""
    found = _stored_in(group)
    if found is None:
        return None
    _, storing, way = found
    return with_ending(storing.statement, storing.value, way, ending)


def patch_stored(group: Group, ending: str) -> Patch:
    """Return the same as a change of the user's file."""
    found = _stored_in(group)
    return with_method_on_stored(*found, ending) if found is not None else NO_PATCH


_KINDS = {list: "list", dict: "dict", set: "set", deque: "deque"}


def patch_bounding(group: Group) -> Patch:
    """Return a bound for the container, behind the statement that fills it."""
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    kind = next((name for type_, name in _KINDS.items() if is_a(group.holder, type_)), "")
    if found is None or not kind or found[1].is_assignment:
        return NO_PATCH
    keys = 0
    for link in reversed(group.named):
        if link.edge.kind != "item":
            break
        keys += 1
    return bounded_after(*found, keys, kind)


def _stored_in(group: Group) -> tuple[str, Storing, list[str]] | None:
    """Return the file and statement that store into the holder, and the way from what is stored to
    the tensor."""
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    if found is None or (found[1].is_assignment and group.is_contained):
        return None
    below = group.chain[group.at + 2 :] if group.is_contained else ()
    if any(link.edge.kind != "item" for link in below):
        return None
    return *found, [it.edge.name for it in below]
