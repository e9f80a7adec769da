"""What to change, written into the user's own line where that can be read."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from garboard._shown.site import Site, site_of
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._rows import Survivor
from garboard.leaks.findings._company import ending_for_all, ending_for_items
from garboard.leaks.findings._traits import is_emptied_by_code
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import are_items_tensors_of, expression, storing_of
from garboard.leaks.holders._hops import Link, written
from garboard.leaks.holders._library import is_of_library
from garboard.leaks.holders._mending import (
    ALONE,
    OF_EACH,
    End,
    field_way,
    is_by_name,
    item_text,
    keyed_with,
    mended_sum,
    ways_of_items,
    with_ends,
)
from garboard.leaks.holders._patches import (
    MOST_KEPT,
    NO_PATCH,
    Patch,
    bounded_after,
    filled_by,
    is_at_front,
    with_method_on_key,
    with_method_on_sum,
    with_methods_on_stored,
)
from garboard.leaks.holders._source import (
    Accumulation,
    Storing,
    accumulation_at,
    places_of,
    target_by_key,
    target_called,
)
from garboard.leaks.holders._statements import Scope, statement_like
from garboard.leaks.holders._storing import is_read_later
from garboard.leaks.holders._unasked import fields_of, is_a, items_of, keys_of

__all__ = [
    "Accumulating",
    "Ending",
    "accumulating",
    "called",
    "ending_of",
    "filled_bounded",
    "filled_until_done",
    "is_by_key",
    "is_kept_once",
    "keyed_small",
    "patch_bounding",
    "patch_keyed_small",
    "patch_stored",
    "patch_stored_bounded",
    "patch_stored_small",
    "stored_as",
    "stored_bounded",
    "stored_small",
    "stored_without_growth",
    "whole_stored_as",
]


class Accumulating(NamedTuple):
    """The statement that makes a graph grow.

    Attributes:
        name: What accumulates, as the program calls it.
        is_augmented: True for `name += value`.
        is_scalar: True where numbers would do.
        is_part: True where `name` is a tuple that has the head among others.
        is_flat: True where these are tensors, too.
        cut: The statement that stores what was computed before, with `.detach()` behind it; empty
            where one and the same statement does both.
        cutting: The same as a change of the user's file.
        statement: The whole, as text; empty where it cannot be read.
        site: Where it stands, if it can be read.
    """

    name: str
    is_augmented: bool
    is_scalar: bool
    is_part: bool = False
    is_flat: bool = False
    cut: str = ""
    cutting: Patch = NO_PATCH
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
    whole = holder[-2].object if is_part else ()
    is_flat = type(whole) is tuple and all(is_one("tensor", it) for it in items_of(whole))
    called = name or expression(named) or "the sum"
    kept = Accumulating(called, False, is_scalar, is_part, is_part and is_flat)
    if storing is None or storing[1].line == site.line or is_read_later(*storing):
        return kept
    ends = [End(way, "detach") for way in _ways_of_names(storing[1].value)]
    cut = with_ends(storing[1].statement, storing[1].value, ends) if ends else None
    return kept._replace(cut=cut, cutting=with_methods_on_stored(*storing, ends)) if cut else kept


def _ways_of_names(value: str) -> list[tuple[str, ...]]:
    """Return the ways to the variables of `h` and of `(h.detach(), c)`."""
    if is_by_name(value):
        return [()]
    parts = ways_of_items(value) if value.startswith(("(", "[")) else []
    return [(it,) for it in parts if is_by_name(item_text(value, it))]


Ending = Callable[[Survivor], str]  # the method to call on it; empty where none is needed


def stored_as(group: Group, ending: Ending) -> str | None:
    """Return the statement that stores into the holder, with `.ending()` behind each tensor."""
    found = _stored_in(group, ending)
    if found is None:
        return None
    _, storing, ends = found
    return with_ends(storing.statement, storing.value, ends, storing.is_many)


def whole_stored_as(group: Group, method: str) -> tuple[str | None, Patch]:
    """Return the statement that stores into the holder, with a method called on what it stores as a
    whole, and the same as a change of the user's file."""
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    if found is None or found[1].is_assignment or not group.is_contained:
        return None, NO_PATCH
    ends = [End((), method)]
    _, storing = found
    statement = with_ends(storing.statement, storing.value, ends, storing.is_many)
    return statement, with_methods_on_stored(*found, ends)


def ending_of(stored: Survivor) -> str:
    """Return the method that makes something small of what is stored; empty where none does."""
    if stored.shape == ():
        return "item"
    return "detach" if stored.node else ""  # a leaf has no graph to let go of


def stored_small(group: Group) -> str | None:
    """Return the statement that stores numbers; or what is detached, and lets go of the oldest."""
    if _are_needed(group):
        return stored_bounded(group, _without_graph) or filled_bounded(group)
    is_enough = _is_of_numbers(group)
    return stored_as(group, ending_of) if is_enough else stored_bounded(group, ending_of)


def _are_needed(group: Group) -> bool:
    """Tell whether the program asks the items for what numbers do not have, `loss.item()`."""
    return are_items_tensors_of(group.named, site_of(group.survivors[-1].site))


def _without_graph(stored: Survivor) -> str:
    return ALONE if stored.node else ""


def stored_without_growth(group: Group) -> str | None:
    """Return the same; None where what is detached would pile up still."""
    statement = stored_small(group)
    is_enough = _is_of_numbers(group) or statement != stored_as(group, ending_of)
    return statement if is_enough else None


def stored_bounded(group: Group, ending: Ending) -> str | None:
    """Return the same as `stored_as`, which lets go of the oldest where there are ever more."""
    statement, place = stored_as(group, ending), _filled(group)
    if not (statement and place and _may_be_bounded(group)) or is_kept_once(group):
        return statement
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    bounds = _OF_MANY if found is not None and found[1].is_many else _KINDS
    return f"{statement}; {bounds[_kind_of(group.holder)].format(place, MOST_KEPT)}"


def _is_of_numbers(group: Group) -> bool:
    """Tell whether numbers would do, for some of it at least: these may be many."""
    return any(ending_of(it) == "item" for it in group.survivors)


def patch_stored_small(group: Group) -> Patch:
    """Return the same as a change of the user's file."""
    if _are_needed(group):
        bounded = patch_stored_bounded(group, _without_graph)
        return bounded if bounded.edits else patch_bounding(group)
    is_enough = _is_of_numbers(group)
    return patch_stored(group, ending_of) if is_enough else patch_stored_bounded(group, ending_of)


def patch_stored_bounded(group: Group, ending: Ending) -> Patch:
    """Return the same as a change of the user's file."""
    small = patch_stored(group, ending)
    if not small.edits or is_kept_once(group):
        return small
    return Patch(small.file, (*small.edits, *patch_bounding(group).edits))


def patch_stored(group: Group, ending: Ending) -> Patch:
    """Return the same as a change of the user's file."""
    found = _stored_in(group, ending)
    return with_methods_on_stored(*found) if found is not None else NO_PATCH


def called(group: Group) -> str:
    """Return how the line that fills the holder calls it, such as `self.rows`; where that cannot be
    read, what reports call it."""
    return _filled(group) or expression(group.named) or "it"


def _filled(group: Group) -> str | None:
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    is_whole = group.named[-1].object is group.holder
    return filled_by(found[1], _keys_of(group)) if found is not None and is_whole else None


def _keys_of(group: Group) -> int:
    """Return how many keys lead from the name to the holder."""
    links = takewhile(lambda it: it.edge.kind == "item", reversed(group.named))
    return sum(1 for _ in links)


# What lets go of the least of a heap: of one that is popped from elsewhere, the last that would be.
_HEAPS = {"heap": "{0}.sort(); del {0}[:-{1}]", "frontier": "{0}.sort(); del {0}[{1}:]"}

_AT_FRONT: dict[type, str] = {
    list: "del {0}[{1}:]",
    deque: "len({0}) > {1} and {0}.pop()",
}

# What lets go of the oldest item, in one line.
_KINDS: dict[type, str] = {
    list: "del {0}[:-{1}]",
    dict: "len({0}) > {1} and {0}.pop(next(iter({0})))",
    set: "len({0}) > {1} and {0}.pop()",
    deque: "len({0}) > {1} and {0}.popleft()",
}
# The same for a container that gains several at a time.
_OF_MANY: dict[type, str] = {
    list: "del {0}[:-{1}]",
    dict: "[{0}.pop(next(iter({0}))) for _ in range(len({0}) - {1})]",
    set: "[{0}.pop() for _ in range(len({0}) - {1})]",
    deque: "[{0}.popleft() for _ in range(len({0}) - {1})]",
}


def _kind_of(holder: Any) -> type:
    return next(it for it in _KINDS if is_a(holder, it))


def filled_bounded(
    group: Group, otherwise: str = "clear it at the end of each epoch", most: int = MOST_KEPT
) -> str | None:
    """Return the statement that fills the container, which lets go of the oldest; None where it
    cannot be read. What else would do is said behind it."""
    place = _filled(group)
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    if found is None or place is None or not _may_be_bounded(group):
        return None
    kind = _kind_of(group.holder)
    tree = ast.parse(found[1].statement).body[0]
    ways = _OF_MANY if found[1].is_many else _KINDS
    bound = _HEAPS.get(heap_of(group)) or (_AT_FRONT if is_at_front(tree) else ways)[kind]
    return f"{found[1].statement}; {bound.format(place, most)}  # or {otherwise}"


def filled_until_done(group: Group) -> str | None:
    """Return the statement that adds a future to a set, which takes it out when it is done."""
    place = _filled(group)
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    if found is None or place is None or not is_a(group.holder, set):
        return None
    value = found[1].value
    if not is_by_name(value) or found[1].is_many:
        return None
    return f"{found[1].statement}; {value}.add_done_callback({place}.discard)"


def patch_bounding(group: Group, most: int = MOST_KEPT) -> Patch:
    """Return a bound for the container, behind the statement that fills it."""
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    if found is None or not _may_be_bounded(group) or found[1].is_assignment:
        return NO_PATCH
    kind = heap_of(group) or _kind_of(group.holder).__name__
    return bounded_after(*found, _keys_of(group), kind, most)


def _may_be_bounded(group: Group) -> bool:
    """Tell whether it is one container that the program names, whose oldest items can go."""
    if group.slots() is not None:
        return False  # its places are meant: what is stored next has an index
    is_one = group.named[-1].object is group.holder and not group.has_ever_more_holders()
    return is_one and is_a(group.holder, tuple(_KINDS))


def _stored_in(group: Group, ending: Ending) -> tuple[str, Storing, list[End]] | None:
    """Return the file and statement that store into the holder, and what to call on what of it."""
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    if found is None or (found[1].is_assignment and group.is_contained) or is_by_key(group):
        return None
    if found[1].is_many and (several := _stored_one_by_one(group, found[1], ending)):
        return found[0], found[1]._replace(is_many=False), several
    behind = _hops_behind_keys(group, *found)
    ways = {way[max(behind - 1, 0) :]: it for way, it in _stored_tensors(group)}
    ends = [End(way, ending(it)) for way, it in ways.items()]
    if is_by_name(found[1].value) and any(it.way for it in ends):
        whole = _of_each(group, ends)
        return (*found, whole) if whole else None
    if len(ends) == 1 and not ends[0].way and ends[0].method in ("item", "detach"):
        ends = [End((), ending_for_all(group, found[1], ends[0].method))]
    needed = [it for it in ends if it.method]
    return (*found, needed) if needed else None


def _hops_behind_keys(group: Group, file: str, storing: Storing) -> int:
    """Return how many hops lead from the holder to what a statement stores behind keys that this
    writes, `rows[epoch][name].append(loss)`; 0 where it writes none."""
    tree = statement_like(file, storing.line, storing.statement)
    places = places_of(Scope(file))(tree) if tree is not None else ()
    keys = next((len(it.keys) for it in places if it.value == storing.value), 0)
    between = keys - _keys_of(group)
    return between + isinstance(tree, ast.Expr) if between > 0 and not storing.is_many else 0


def _stored_one_by_one(group: Group, storing: Storing, ending: Ending) -> list[End]:
    """Return what to call on the tensors that `rows.extend([a, b])` or `log.update(values)` puts
    into a container; none where one cannot be told, or a comprehension makes them all."""
    items = items_of(group.holder) if storing.is_only and group.is_contained else []
    if items and is_by_name(storing.value):
        whole = "dict" if is_a(group.holder, dict) else "list"
        method = ending_for_items(items[-_NEWEST:])
        return [End((), f"{method}{OF_EACH}{whole}")] if method else []
    ways = ways_of_items(storing.value)
    if not ways or len(items) < len(ways) or is_a(group.holder, set):
        return []
    known = {id(it.tensor): it for it in group.survivors}
    found = [(way, known.get(id(it))) for way, it in zip(ways, items[-len(ways) :], strict=True)]
    ends = [End((way,), ending(it)) for way, it in found if it is not None]
    return [it for it in ends if it.method]


def is_by_key(group: Group) -> bool:
    """Tell whether the tensors are keys of the holder, or in its keys."""
    return group.at + 1 < len(group.chain) and group.chain[group.at + 1].edge.kind == "key"


def keyed_small(group: Group) -> str | None:
    """Return the statement that stores by a tensor, with a number for its key."""
    found = _keyed_in(group)
    return keyed_with(found[1].statement, "item") if found is not None else None


def patch_keyed_small(group: Group) -> Patch:
    """Return the same as a change of the user's file."""
    found = _keyed_in(group)
    return with_method_on_key(*found, "item") if found is not None else NO_PATCH


def _keyed_in(group: Group) -> tuple[str, Storing] | None:
    """Return what stores by a key that is a tensor of one element, and is written as one."""
    key = group.chain[group.at + 1].object
    if key is not group.survivors[-1].tensor or group.survivors[-1].shape != ():
        return None
    return storing_of(group.named, site_of(group.survivors[-1].site))


def is_kept_once(group: Group) -> bool:
    """Tell whether all is of one step, as what a single pass leaves is."""
    return len({it.step for it in group.survivors}) == 1


def heap_of(group: Group) -> str:
    """Return "heap" of a holder that is pushed to, "frontier" where something pops from it, too;
    empty of what is none."""
    site = site_of(group.survivors[-1].site)
    found = storing_of(group.named, site)
    called = found[1].statement.partition("(")[0] if found is not None else ""
    if not called.endswith("heappush"):
        return ""
    return "frontier" if is_emptied_by_code(group) else "heap"


_WHOLES: dict[type, str] = {dict: "dict", list: "list", tuple: "tuple"}


def _of_each(group: Group, ends: Sequence[End]) -> list[End]:
    """Return what to call on each item of a dict, list or tuple that is stored as a whole; none
    where no one expression is right for all of them."""
    thing = group.chain[group.at + 1].object
    whole = _WHOLES.get(type(thing))
    if whole is None or any(len(it.way) != 1 for it in ends):
        return []
    method = ending_for_items(items_of(thing))
    return [End((), f"{method}{OF_EACH}{whole}")] if method else []


_NEWEST = 8  # items of a holder that tell what the others are
_DEEPEST = 3  # displays within displays in one statement
_ALIKE = 4  # items of a holder, the newest: of the last one a variable may have a tensor still

_Ways = list[tuple[tuple[str, ...], Survivor]]


def _stored_tensors(group: Group) -> _Ways:
    """Return the survivors in the newest items of the holder, one for each way to them; none where
    other things than lists and dicts are on the way to the newest."""
    if not group.is_contained:
        return [((), group.survivors[-1])]
    known = {id(it.tensor): it for it in group.survivors}
    newest = _tensors_in(group.chain[group.at + 1].object, known)
    if not any(it.tensor is group.chain[-1].object for _, it in newest):
        return []
    found = dict(newest)
    for item in reversed(items_of(group.holder)[-_ALIKE:]):
        for way, survivor in _tensors_in(item, known):
            if not any(way[: len(it)] == it or it[: len(way)] == way for it in found):
                found[way] = survivor
    return list(found.items())


def _tensors_in(item: Any, known: Mapping[int, Survivor]) -> _Ways:
    found: _Ways = []
    open_: list[tuple[tuple[str, ...], Any]] = [((), item)]
    while open_:
        way, thing = open_.pop(0)
        if id(thing) in known:
            found.append((way, known[id(thing)]))
        elif len(way) < _DEEPEST and (fields := fields_of(thing)):
            open_ += [((*way, field_way(i, name)), it) for i, (name, it) in enumerate(fields)]
        elif len(way) < _DEEPEST and is_a(thing, (tuple, list)):
            open_ += [((*way, str(i)), it) for i, it in enumerate(items_of(thing))]
        elif len(way) < _DEEPEST and is_a(thing, dict):
            names = [written(key) for key in keys_of(thing)]
            open_ += [((*way, key), it) for key, it in zip(names, items_of(thing), strict=True)]
    return found
