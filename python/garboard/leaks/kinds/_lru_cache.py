"""A cached function keeps its results, and its arguments, for good.

    @lru_cache(None)        # leaks: an entry for each new argument
    @lru_cache(maxsize=8)

On a method the cache keeps `self` too; `functools.cached_property` keeps the result with it.

Evidence: an `lru_cache` without a bound is on the way, or one of a method that keeps its instances.
"""

from __future__ import annotations

from itertools import pairwise

from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import objects_of
from garboard.leaks.holders._describe import code_of, place_of
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._patches import MOST_KEPT, NO_PATCH, Patch, bounded_cache
from garboard.leaks.holders._unasked import attributes_of, is_cache

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    """Tell whether a cache leads on by what it has cached, and not by an attribute."""
    ways = pairwise(group.chain)
    return any(is_cache(it.object) and then.edge.kind == "cached result" for it, then in ways)


def _patch(group: Group) -> Patch:
    cache = next(it for it in objects_of(group) if is_cache(it))
    if group.is_bounded_in_vain():
        return NO_PATCH  # a bound keeps some of them as long
    place = place_of(cache)
    return bounded_cache(place.file, place.line) if place else NO_PATCH


def _fix(group: Group) -> str:
    if group.is_bounded_in_vain():
        return "use cached_property, or a cache that is the instance's: the key keeps each `self`"
    cache = next(it for it in objects_of(group) if is_cache(it))
    code = code_of(attributes_of(cache).get("__wrapped__"))
    if code is not None and code.co_varnames[: code.co_argcount][:1] == ("self",):
        return "give the cache a maxsize, or use cached_property on the instance"
    return f"give the cache a maxsize, for instance @lru_cache(maxsize={MOST_KEPT})"


KIND = Kind(
    name="lru-cache",
    family="CACHE",
    text=__doc__ or "",
    rank=60,
    fits=_fits,
    fix_group=_fix,
    patch_group=_patch,
)
