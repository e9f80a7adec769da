"""Whether the program has code that takes items out of a container, and how many it lets it have.

What is read is the code around each name that the container goes by: the holder's own, what a
function calls it that it is given to, and `self` in a class that is made of a list or a dict.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from garboard._shown.site import Site
from garboard.leaks.holders._describe import file_of
from garboard.leaks.holders._emptying import (
    Reach,
    guards_of_storings,
    guards_of_takings,
    is_begun_anew,
    is_emptied,
    is_trimmed,
    limits,
)
from garboard.leaks.holders._holders import is_of_a_call_that_recurs, last_named, scopes_of
from garboard.leaks.holders._hops import Link
from garboard.leaks.holders._library import is_of_library
from garboard.leaks.holders._roots import ANYWHERE, Opened
from garboard.leaks.holders._statements import Scope
from garboard.leaks.holders._storing import methods_of, scopes_given_to
from garboard.leaks.holders._unasked import (
    length_of,
    mro_of,
    type_name,
)
from garboard.leaks.holders._values import Values

__all__ = ["may_be_emptied", "may_be_trimmed", "room_of"]


def may_be_emptied(chain: Sequence[Link], near: Site, opened: Opened = ANYWHERE) -> bool:
    """Tell whether the program has code that takes items out of the last object of a chain.

    Or will begin it anew: a variable of a function ends with the call, and a loop of the program
    calls again. A loop around the whole check does not.
    """
    own = scopes_of(chain, near)
    if any(is_emptied(scope, name, _reach_of(chain, scope)) for scope, name in own):
        return True
    if any(is_trimmed(scope, name, _reach_of(chain, scope)) for scope, name in _given(chain, near)):
        return True
    owners = (chain[: at + 1] for at in range(1, last_named(chain) or 0))
    if any(
        is_begun_anew(scope, name)
        for owner in owners
        if owner[-1].edge.name and owner[-1].edge.kind != "item"
        for scope, name in scopes_of(owner, near)
    ):
        return True
    return is_of_a_call_that_recurs(chain, opened)


def may_be_trimmed(chain: Sequence[Link], near: Site) -> bool:
    """Tell whether the program has code that takes some items out of it, and not all at once."""
    return any(is_trimmed(*it, _reach_of(chain, it[0])) for it in _all_scopes(chain, near))


def room_of(chain: Sequence[Link], near: Site) -> int | None:
    """Return the most items that the program compares the length of the last object with.

    `len(self.rows) < self.capacity`, where that is a number now. Where what it takes items out for
    is another sum, such as `self.bytes > self.most_bytes`: as many as these would be.
    """
    scopes = _all_scopes(chain, near)
    values = Values(chain, [name for _, name in scopes])
    found = [
        size
        for scope, name in scopes
        for limit in limits(scope, name, _reach_of(chain, scope))
        if (size := values.number(limit, scope.file)) is not None
    ]
    return max(found, default=None) or _room_by_sums(chain, scopes, values)


_FAR = 100_000  # items or steps
_TIMES = 500  # as many items as there are


def _room_by_sums(
    chain: Sequence[Link], scopes: Sequence[tuple[Scope, str]], values: Values
) -> int | None:
    """Return how many items there are where a sum that grows with them meets what it is compared
    with before some are taken, or before no more are stored."""
    items = length_of(chain[-1].object) or 0
    found = []
    for scope, name in scopes:
        pairs = [*guards_of_takings(scope, name), *guards_of_storings(scope, name)]
        for small, large in pairs:
            sums, most = (values.number(it, scope.file) for it in (small, large))
            if sums is None or most is None or not 0 < sums <= most:
                continue
            room = -(-items * most // sums)
            if room < max(_FAR, _TIMES * items):
                found.append(room)
    return max(found, default=None)


def _all_scopes(chain: Sequence[Link], near: Site) -> list[tuple[Scope, str]]:
    return [*scopes_of(chain, near), *_given(chain, near)]


def _given(chain: Sequence[Link], near: Site) -> list[tuple[Scope, str]]:
    """Return the functions that the last object is given to, each with its name there; and the
    methods of its own class, where that is the program's."""
    own = [it for it in scopes_of(chain, near) if not is_of_library(it[0].file)]
    found = [given for scope, name in own for given in scopes_given_to(scope, name)]
    for cls in mro_of(type(chain[-1].object)):
        if not is_of_library(file := file_of(cls)):
            found += methods_of(file, type_name(cls))
    return list(dict.fromkeys(found))


def _reach_of(chain: Sequence[Link], scope: Scope) -> Reach:
    """Return what tells of numbers that the last object has outgrown, and of those that are far."""
    items = length_of(chain[-1].object) or 0
    name = chain[-1].edge.name
    values = Values(chain, [name] if name else [])

    def is_outgrown(limit: ast.expr) -> bool:
        number = values.number(limit, scope.file)
        return number is not None and items > 2 * number

    def is_far(limit: ast.expr) -> bool:
        number = values.number(limit, scope.file)
        return number is not None and number >= max(_FAR, _TIMES * items)

    def is_long(steps: ast.expr) -> bool:
        number = values.number(steps, scope.file)
        return number is not None and number >= _FAR

    return Reach(is_outgrown, is_far, is_long)
