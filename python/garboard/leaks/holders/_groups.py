"""Puts survivors together by what holds them: one growing container, one finding."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import is_
from types import FrameType, FunctionType, TracebackType
from typing import Any

from garboard import _engine
from garboard._shown.site import site_of
from garboard.leaks.evidence._classes import is_one, loaded_class
from garboard.leaks.evidence._graphs import Behind, Graphs
from garboard.leaks.evidence._rows import Born, Survivor
from garboard.leaks.holders._describe import function_name, is_context
from garboard.leaks.holders._hops import Link, is_part, links
from garboard.leaks.holders._public import public
from garboard.leaks.holders._roots import ANYWHERE, Opened, is_of_other_thread
from garboard.leaks.holders._strings import string_at
from garboard.leaks.holders._tees import TEE, kept_by
from garboard.leaks.holders._unasked import (
    attributes_of,
    is_a,
    is_cache,
    is_object_array,
    is_plain_tuple,
    items_of,
    keys_of,
    length_of,
    mro_of,
    space_of,
)

__all__ = ["Group", "cohorts_of", "grouped", "is_container", "may_gain"]

_NOTHING = Behind(0, 0, 0, False, frozenset())
_CONTAINERS = (list, dict, set, deque)
_DEEPEST = 200  # hops; chains of objects that refer to one another have no branching point


@dataclass(slots=True)
class Group:
    """Survivors behind one holder.

    Attributes:
        survivors: Oldest first.
        chain: The hops to the newest of them.
        at: Where in the chain the holder stands: what gains items, or refers to the one tensor.
        pinned_bytes: What storages would free if these small views of them were copies.
        graphs: What is known of the graphs that hang behind.
        loop_file: The source file of the loop under watch.
        opened: Where the check begins.
        thing_count: How many things they are: the tensors of a packed sequence are one.
        siblings: Other holders that gain items in the same way, of one fixed set with this one.
        set_at: Where in the chain that set stands; it gains nothing itself.
        is_string: True where the holder is the first of objects that refer to one another.
    """

    survivors: list[Survivor]
    chain: list[Link]
    at: int
    pinned_bytes: int = 0
    graphs: Graphs | None = None
    loop_file: str = ""
    opened: Opened = ANYWHERE
    thing_count: int = 1
    siblings: list[Any] = field(default_factory=list)
    set_at: int | None = None
    is_string: bool = False
    _behind: Behind | None = None
    _named: list[Link] | None = None

    @property
    def behind(self) -> Behind:
        """What graph nodes hang behind; looked up for those few groups that are asked."""
        if self._behind is None:
            self._behind = self.graphs.behind(self.survivors) if self.graphs else _NOTHING
        return self._behind

    @property
    def saved_bytes(self) -> int:
        """What lives by the graphs behind alone: what nodes saved, and leaves."""
        return self.behind.saved_bytes + self.behind.leaf_bytes

    @property
    def is_retained(self) -> bool:
        """True where nodes behind were kept for a second backward pass."""
        return self.behind.is_retained

    @property
    def what(self) -> str:
        """What the survivors are: "tensor", or what carries on what no tensor leads to."""
        kinds = {it.what for it in self.survivors}
        return kinds.pop() if len(kinds) == 1 else "tensor"

    @property
    def holder(self) -> Any:
        return self.chain[self.at].object

    @property
    def is_contained(self) -> bool:
        """True behind a container; False for a bare variable or attribute."""
        return is_container(self.holder) or self.thing_count > 1

    @property
    def is_of_threads(self) -> bool:
        """True where threads that run have them, each in a frame of its own."""
        return (
            self.thing_count > 1
            and is_a(self.chain[0].object, FrameType)
            and self.at > 0
            and (self.at == len(self.chain) - 1 and is_of_other_thread(self.chain[0].object))
        )

    @property
    def inner(self) -> list[Link]:
        """The chain down to the holder, or to the variable or attribute that is the tensor.

        An object of the program's may have an optimizer that it gives ever more parameters.
        """
        if not self.is_contained:
            return self.chain
        end = self.at + 1
        if not is_container(self.holder):
            below = enumerate(self.chain[end:], start=end + 1)
            end = next((i for i, link in below if is_one("optimizer", link.object)), end)
        return self.chain[:end]

    @property
    def named(self) -> list[Link]:
        """The same as far as the program names it: down to a queue, and not to the deque in it."""
        if self.what == "hook":
            return self.inner
        if self._named is None:
            self._named = public(self.inner, site_of(self.survivors[-1].site))
        return self._named

    @property
    def holders(self) -> list[Any]:
        return [self.holder, *self.siblings]

    def size(self) -> int:
        """Return how many items the holders have; how many survivors, where one has no length.

        Slots that nothing was put into yet are none.
        """
        return sum(self._sizes()) or len(self.survivors)

    def slots(self) -> int | None:
        """Return the length of a list that was made before its items, as long as some are none; of
        an array of objects, which always is."""
        least = sum(it.weight for it in self.survivors)
        length, size = length_of(self.holder), _size_of(self.holder, least)
        is_made = is_object_array(self.holder) or (is_a(self.holder, list) and length != size)
        return length if is_made and not self.siblings else None

    def most_items(self) -> int:
        """Return how many items the largest of the holders has, likewise."""
        return max(self._sizes(), default=len(self.survivors))

    def has_ever_more_holders(self) -> bool:
        """Tell whether there are ever more holders, as in a tree, each with few items."""
        return len(self.holders) > self.most_items()

    def _sizes(self) -> list[int]:
        if self.is_string:  # its first list or dict has a few items, whatever it leads to
            return []
        least = sum(it.weight for it in self.survivors)
        sizes = [_size_of(it, least) for it in self.holders]
        known = [it for it in sizes if it is not None]
        return known if len(known) == len(sizes) else []

    def is_bounded_in_vain(self) -> bool:
        """Tell whether the holder is the bounded cache of a method, with another instance in its
        keys for at least every second step."""
        if not is_cache(self.holder) or _bound_of(self.holder, None) is None:
            return False
        spaces = (it for it in gc.get_referents(self.holder) if is_a(it, dict))
        keys = (key for space in spaces for key in keys_of(space) if is_plain_tuple(key) and key)
        owners = {id(key[0]): type(key[0]) for key in keys}
        if 2 * len(owners) < len(cohorts_of(self.survivors)):
            return False
        classes = set(owners.values())
        return any(it is self.holder for cls in classes for it in _attributes_of_class(cls))

    def has_item(self, thing: Any) -> bool:
        """Tell whether a holder directly holds a thing."""
        wholes = filter(is_container, self.holders)
        return any(any(map(is_, items_of(it), repeat(thing))) for it in wholes)

    def bound(self) -> int | None:
        """Return how many items the holders can have, where their structure says so.

        A cache of a method that keeps its instances is no place for them, however small it is.
        """
        if self.is_bounded_in_vain():
            return None
        owner = self.chain[max(self.at - 1, 0)].object
        sizes = [_bound_of(it, owner) for it in self.holders]
        known = [it for it in sizes if it is not None]
        return sum(known) if len(known) == len(sizes) else None


def _attributes_of_class(cls: type) -> Iterator[Any]:
    for it in mro_of(cls):
        yield from space_of(it).values()


def _size_of(holder: Any, least: int) -> int | None:
    if is_cache(holder):
        return int(type(holder).cache_info(holder).currsize)
    if is_a(holder, TEE):
        return kept_by(holder)
    length = length_of(holder) if is_container(holder) else None
    has_places = is_a(holder, (list, dict)) or is_object_array(holder)
    if length is None or length <= least or not has_places:
        return length
    ids = list(map(id, items_of(holder)))
    last = ids[-1] if ids.count(ids[-1]) > 1 else 0  # of `[0.0] * most`
    return length - sum(ids.count(it) for it in {id(None), last}) or length  # the keys are meant


_QUEUES = (("queue", "Queue", "maxsize"), ("asyncio.queues", "Queue", "_maxsize"))


def _bound_of(holder: Any, owner: Any) -> int | None:
    if is_a(holder, (deque, list)):
        most: int | None = _most_items(holder) if is_a(holder, deque) else None
        for module, name, attribute in _QUEUES:
            queue = loaded_class(module, name)
            size = attributes_of(owner).get(attribute) if queue and is_a(owner, queue) else 0
            if most is None and type(size) is int and size > 0:
                return size
        return most
    if is_cache(holder):
        size = _parameters_of(holder).get("maxsize")
        return size if type(size) is int else None
    return None


_most_items = vars(deque)["maxlen"].__get__


def _parameters_of(cache: Any) -> dict[str, Any]:
    """Return how a cache was made: `lru_cache` leaves a function of its own on each."""
    tell = attributes_of(cache).get("cache_parameters")
    found = tell() if is_a(tell, FunctionType) and tell.__module__ == "functools" else {}
    return found if type(found) is dict else {}


def cohorts_of(survivors: Sequence[Survivor | Born]) -> dict[int, int]:
    """Count survivors by birth step."""
    found: dict[int, int] = {}
    for survivor in survivors:
        found[survivor.step] = found.get(survivor.step, 0) + survivor.weight
    return found


def age(survivor: Survivor) -> tuple[bool, int]:
    """What sorts the newest last; a tensor tells more than what carries others on."""
    return survivor.what in ("tensor", "export"), survivor.serial


def may_gain(thing: Any) -> bool:
    """Tell whether a thing's size says whether it gains anything: a container's, or what `tee`
    keeps for one that is behind."""
    return is_container(thing) or is_a(thing, TEE)


def is_container(thing: Any) -> bool:
    """Tell whether a thing can gain items: a list, dict, set or deque, a cache, or an array of
    objects, whose places can be filled."""
    return is_a(thing, _CONTAINERS) or is_cache(thing) or is_object_array(thing)


Path = tuple[Survivor, list[Any]]  # the objects from a root to the tensor, or to what has it


class _Cut(list[Any]):
    """A path that ends at what is kept as a whole; `rest` leads on to the tensor."""

    rest: Sequence[Any] = ()


def grouped(found: Sequence[Path]) -> list[Group]:
    """Group survivors by the deepest object that leads to all of them and branches there."""
    roots: dict[tuple[int, bool], list[Path]] = {}
    stashes: dict[object, list[Path]] = {}
    threads: dict[object, list[Path]] = {}
    for survivor, path in found:
        whole = (survivor, _cut(path))
        if survivor.what == "hook":
            stashes.setdefault((id(path[-1]), survivor.site), []).append(whole)
        elif len(path) > 1 and is_context(path[0]):
            edge = links(path[:3])[1].edge
            stashes.setdefault((function_name(path[0]), edge), []).append(whole)
        elif is_a(path[0], FrameType) and is_of_other_thread(path[0]):
            threads.setdefault((path[0].f_code, survivor.site), []).append(whole)
        else:
            # What an optimizer stands for is apart from what its state is seen to have.
            is_whole = survivor.what == "storage" and is_one("optimizer", path[-1])
            roots.setdefault((id(path[0]), is_whole), []).append(whole)
    for paths in threads.values():
        if len({id(path[0]) for _, path in paths}) > 1:
            stashes[id(paths)] = paths  # of threads that do the same
        else:
            roots.setdefault((id(paths[0][1][0]), False), []).extend(paths)
    groups = [group for paths in roots.values() for group in _split(paths, 0)]
    groups += [_stash(paths) for paths in stashes.values()]
    return sorted(_merged(groups), key=lambda group: group.survivors[0].serial)


def _cut(path: list[Any]) -> list[Any]:
    """Cut a path where something begins that is kept as a whole: a packed sequence, or an exception
    with its frames and the exceptions before it."""
    for at, thing in enumerate(path[:-1]):
        is_sequence = at == len(path) - 2 and at > 0 and is_a(thing, _engine._PackedSequence)
        if is_sequence or is_a(thing, (BaseException, TracebackType)):
            found = _Cut(path[: at + 1])
            found.rest = path[at + 1 :] if not is_sequence else ()
            return found
    return path


def _whole(path: list[Any]) -> list[Any]:
    return [*path, *path.rest] if isinstance(path, _Cut) else path


def _merged(groups: list[Group]) -> list[Group]:
    """Put groups with one container together: the tensors of one of its items were taken apart."""
    found: dict[int, Group] = {}
    for group in groups:
        is_whole = is_container(group.holder) and group.what != "hook"  # a table and what it keeps
        key = id(group.holder) if is_whole else id(group)
        first = found.setdefault(key, group)
        if first is not group:
            newer = max(first, group, key=lambda it: age(it.survivors[-1]))
            first.chain, first.at = newer.chain, newer.at
            both = [*first.survivors, *group.survivors]
            first.survivors = sorted(both, key=age)
            first.thing_count += group.thing_count
    return list(found.values())


def _split(paths: list[Path], depth: int) -> list[Group]:
    """Descend while all paths agree; below a namespace each branch is a group of its own."""
    path = min((it[1] for it in paths), key=len)  # one may lead on through what another ends at
    branches: dict[int, list[Path]] = {}
    while len(branches) < 2 and depth + 1 < len(path):
        branches = {}
        for it in paths:
            branches.setdefault(id(it[1][depth + 1]), []).append(it)
        depth += len(branches) < 2
    if len(paths) > 1 and (begins := string_at([it for _, it in paths], depth)) is not None:
        return [_string(paths, begins)]
    if len(branches) < 2:  # aliases are objects of their own, so this is one, or one sequence
        return [_group(paths, _nearest_container(path))]
    if depth > _DEEPEST or _is_comb(branches, paths):
        return [_group(paths, depth)]
    gains_items = _gains_items(path, depth)
    if gains_items and not _is_fixed(branches, paths):
        return [_group(paths, depth)]
    groups = [group for branch in branches.values() for group in _split(branch, depth + 1)]
    return _of_one_set(groups, path[depth]) if gains_items else groups


def _is_fixed(branches: dict[int, list[Path]], paths: list[Path]) -> bool:
    """Tell whether a container gains nothing itself: most are in items that it has had for long.

    `history["loss"]` gets a tensor at every step, and `history` has two lists from first to last.
    """
    spans = [(_span(branch), len(branch)) for branch in branches.values()]
    long = sum(count for span, count in spans if span > 1 and 2 * span >= _span(paths))
    return 2 * long >= len(paths)


def _span(paths: list[Path]) -> int:
    steps = [it.step for it, _ in paths]
    return max(steps) - min(steps) + 1


def _of_one_set(groups: list[Group], fixed: Any) -> list[Group]:
    """Put together those items of a fixed set that gain what was born at the same lines."""
    found: list[tuple[set[int], Group]] = []
    for group in groups:
        lines = {it.site for it in group.survivors}
        if not is_container(group.holder) or group.holder is fixed:
            found.append((set(), group))
            continue
        alike = next((it for it in found if it[0] & lines), None)
        if alike is None:
            found.append((lines, group))
        else:
            alike[0].update(lines)
            _join(alike[1], group, fixed)
    return [group for _, group in found]


def _join(group: Group, other: Group, fixed: Any) -> None:
    """Take another group of the same set into one; the newest survivor is the one to show."""
    holders = {id(it): it for it in (*group.holders, *other.holders)}
    newer = max(group, other, key=lambda it: age(it.survivors[-1]))
    group.chain, group.at = newer.chain, newer.at
    group.survivors = sorted([*group.survivors, *other.survivors], key=age)
    group.thing_count += other.thing_count
    group.siblings = [it for it in holders.values() if it is not group.holder]
    group.set_at = next((i for i, it in enumerate(group.chain) if it.object is fixed), None)


def _gains_items(path: list[Any], at: int) -> bool:
    if not is_container(path[at]):
        return False
    if at > 0 and _is_namespace(path[at], path[at - 1]):
        return False
    return not any(is_part(owner, path[at]) for owner in path[max(at - 2, 0) : at])


def _is_namespace(thing: Any, holder: Any) -> bool:
    """Tell whether a dict only holds the attributes or variables of its holder."""
    if not is_a(thing, dict):
        return False
    if is_a(holder, (type, FunctionType)):
        return True
    if is_a(holder, FrameType):
        return all(value is not thing for _, value in _engine._frame_variables(holder))
    return attributes_of(holder) is thing


def _is_comb(branches: dict[int, list[Path]], paths: list[Path]) -> bool:
    """Many branches of one birth step each: the object gains an attribute every step."""
    lone = [branch for branch in branches.values() if len({it.step for it, _ in branch}) == 1]
    steps = {branch[0][0].step for branch in lone}
    return len(steps) >= 3 and 2 * sum(map(len, lone)) > len(paths)


def _nearest_container(path: list[Any]) -> int:
    """The container nearest to the tensor; what refers to it, where there is none."""
    last = len(path) - 2
    return next((i for i in range(last, 0, -1) if _gains_items(path, i)), max(last, 0))


def _string(paths: list[Path], depth: int) -> Group:
    """Put together what a string of objects has, each of which refers to the one before.

    The way to the tensor nearest to the root is the one to show: others pass all those before.
    """
    group = _group([min(paths, key=lambda path: len(path[1]))], depth)
    group.survivors = sorted((it for it, _ in paths), key=age)
    group.thing_count, group.is_string = len(paths), True
    return group


def _stash(paths: list[Path]) -> Group:
    """Put together what one line puts into a table of hooks, or into the contexts of a function."""
    ordered = sorted(paths, key=lambda path: (path[0].step, path[0].serial))
    chain = links(_whole(ordered[-1][1]))
    is_bare = is_context(chain[0].object) and not is_container(chain[1].object)
    at = 1 if is_bare else len(chain) - 1
    return Group([it for it, _ in ordered], chain, at, thing_count=len(ordered))


def _group(paths: list[Path], depth: int) -> Group:
    ordered = sorted(paths, key=lambda path: age(path[0]))
    path = ordered[-1][1]
    chain = links(_whole(path))
    # The plumbing is folded: the holder is at its own hop, or at that of the object it belongs to.
    while depth > 0 and all(link.object is not path[depth] for link in chain):
        depth -= 1
    at = next((i for i, link in enumerate(chain) if link.object is path[depth]), 0)
    thing_count = len({id(path[-1]) for _, path in paths})
    return Group([survivor for survivor, _ in ordered], chain, at, thing_count=thing_count)
