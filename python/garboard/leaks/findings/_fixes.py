"""What to change, written into the user's own line where that can be read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from garboard._shown.site import Site, site_of
from garboard.leaks.evidence._rows import Survivor
from garboard.leaks.findings._company import ending_for_all
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import expression, storing_of
from garboard.leaks.holders._hops import Link, written
from garboard.leaks.holders._library import is_of_library
from garboard.leaks.holders._mending import End, mended_sum, with_ends
from garboard.leaks.holders._patches import (
    NO_PATCH,
    Patch,
    bounded_after,
    with_method_on_sum,
    with_methods_on_stored,
)
from garboard.leaks.holders._source import (
    Accumulation,
    Storing,
    accumulation_at,
    target_by_key,
    target_called,
)
from garboard.leaks.holders._unasked import is_a, items_of, keys_of

__all__ = ["Accumulating", "Ending", "accumulating", "patch_bounding", "patch_stored", "stored_as"]


class Accumulating(NamedTuple):
    """The statement that makes a graph grow.

    Attributes:
        name: What accumulates, as the program calls it.
        is_augmented: True for `name += value`.
        is_scalar: True where numbers would do.
        is_part: True where `name` is a tuple that has the head among others.
        statement: The whole, as text; empty where it cannot be read.
        site: Where it stands, if it can be read.
    """

    name: str
    is_augmented: bool
    is_scalar: bool
    is_part: bool = False
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
    if found is None or (holder and not _is_meant(found, holder)):
        return _kept_elsewhere(site, holder, is_scalar)
    return Accumulating(
        found.target, found.is_augmented, is_scalar, statement=found.statement, site=site
    )


def _is_meant(found: Accumulation, holder: Sequence[Link]) -> bool:
    """Tell whether a line updates the last object of a chain, also by a key that is a variable."""
    if found.name == holder[-1].edge.name:
        return True
    if holder[-1].edge.kind != "item" or len(holder) < 2:
        return False
    return target_by_key(found.target) == holder[-2].edge.name


def _kept_elsewhere(site: Site, holder: Sequence[Link], is_scalar: bool) -> Accumulating:
    is_part = len(holder) > 1 and is_a(holder[-2].object, tuple)
    named = holder[:-1] if is_part else holder
    storing = storing_of(named, site) if named else None
    name = target_called(storing[1].statement, named[-1].edge.name) if storing else None
    return Accumulating(name or expression(named) or "the sum", False, is_scalar, is_part)


Ending = Callable[[Survivor], str]  # the method to call on it; empty where none is needed


def stored_as(group: Group, ending: Ending) -> str | None:
    """Return the statement that stores into the holder, with `.ending()` behind each tensor."""
    found = _stored_in(group, ending)
    if found is None:
        return None
    _, storing, ends = found
    return with_ends(storing.statement, storing.value, ends, storing.is_many)


def patch_stored(group: Group, ending: Ending) -> Patch:
    """Return the same as a change of the user's file."""
    found = _stored_in(group, ending)
    return with_methods_on_stored(*found) if found is not None else NO_PATCH


_KINDS = {list: "list", dict: "dict", set: "set", deque: "deque"}


def patch_bounding(group: Group) -> Patch:
    """Return a bound for the container, behind the statement that fills it."""
    if group.has_ever_more_holders():
        return NO_PATCH
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    kind = next((name for type_, name in _KINDS.items() if is_a(group.holder, type_)), "")
    is_named = group.named[-1].object is group.holder
    if found is None or not kind or not is_named or found[1].is_assignment:
        return NO_PATCH
    keys = 0
    for link in reversed(group.named):
        if link.edge.kind != "item":
            break
        keys += 1
    return bounded_after(*found, keys, kind)


def _stored_in(group: Group, ending: Ending) -> tuple[str, Storing, list[End]] | None:
    """Return the file and statement that store into the holder, and what to call on what of it."""
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    if found is None or (found[1].is_assignment and group.is_contained):
        return None
    ends = [End(way, ending(it)) for way, it in _stored_tensors(group)]
    if len(ends) == 1 and not ends[0].way and ends[0].method in ("item", "detach"):
        ends = [End((), ending_for_all(group, found[1], ends[0].method))]
    needed = [it for it in ends if it.method]
    return (*found, needed) if needed else None


_DEEPEST = 3  # displays within displays in one statement


def _stored_tensors(group: Group) -> list[tuple[tuple[str, ...], Survivor]]:
    """Return the survivors in the newest item of the holder, each with the way to it; none where
    other things than lists and dicts are on the way to the newest."""
    if not group.is_contained:
        return [((), group.survivors[-1])]
    known = {id(it.tensor): it for it in group.survivors}
    found: list[tuple[tuple[str, ...], Survivor]] = []
    open_: list[tuple[tuple[str, ...], Any]] = [((), group.chain[group.at + 1].object)]
    while open_:
        way, thing = open_.pop(0)
        if id(thing) in known:
            found.append((way, known[id(thing)]))
        elif len(way) < _DEEPEST and is_a(thing, (tuple, list)):
            open_ += [((*way, str(i)), it) for i, it in enumerate(items_of(thing))]
        elif len(way) < _DEEPEST and is_a(thing, dict):
            names = [written(key) for key in keys_of(thing)]
            open_ += [((*way, key), it) for key, it in zip(names, items_of(thing), strict=True)]
    return found if any(it.tensor is group.chain[-1].object for _, it in found) else []
