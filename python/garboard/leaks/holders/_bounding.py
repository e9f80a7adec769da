"""Whether the program has code that takes items out of a container, and how many it lets it have.

What is read is the code around each name that the container goes by: the holder's own, what a
function calls it that it is given to, and `self` in a class that is made of a list or a dict.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from garboard import _engine
from garboard._shown.site import Site
from garboard.leaks.holders._describe import file_of
from garboard.leaks.holders._emptying import (
    Reach,
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
from garboard.leaks.holders._storing import argument_of, methods_of, scopes_given_to
from garboard.leaks.holders._unasked import (
    attributes_of,
    is_a,
    length_of,
    module_of_class,
    mro_of,
    space_of,
    type_name,
)

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
    found = [
        size
        for scope, name in _all_scopes(chain, near)
        for limit in limits(scope, name, _reach_of(chain, scope))
        if (size := _number(limit, chain, scope)) is not None
    ]
    return max(found, default=None) or _room_by_sums(chain, near)


_FAR = 100_000  # items or steps
_TIMES = 500  # as many items as there are


def _room_by_sums(chain: Sequence[Link], near: Site) -> int | None:
    """Return how many items there are where a sum that grows with them meets what it is compared
    with before some are taken."""
    items = length_of(chain[-1].object) or 0
    found = []
    for scope, name in _all_scopes(chain, near):
        for small, large in guards_of_takings(scope, name):
            sums, most = _number(small, chain, scope), _number(large, chain, scope)
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

    def is_outgrown(limit: ast.expr) -> bool:
        number = _number(limit, chain, scope)
        return number is not None and items > 2 * number

    def is_far(limit: ast.expr) -> bool:
        number = _number(limit, chain, scope)
        return number is not None and number >= max(_FAR, _TIMES * items)

    def is_long(steps: ast.expr) -> bool:
        number = _number(steps, chain, scope)
        return number is not None and number >= _FAR

    return Reach(is_outgrown, is_far, is_long)


def _number(limit: ast.expr, chain: Sequence[Link], scope: Scope) -> int | None:
    """Return a number that is written, or that a variable or an attribute of the holder's is, or
    what the scope's function is given."""
    if isinstance(limit, ast.Constant):
        if type(limit.value) is float and limit.value.is_integer():  # 1e6
            return int(limit.value)
        return limit.value if type(limit.value) is int else None
    if isinstance(limit, ast.BinOp):
        return _computed(limit, chain, scope)
    if isinstance(limit, ast.UnaryOp) and isinstance(limit.op, ast.USub):
        number = _number(limit.operand, chain, scope)
        return None if number is None else -number
    name = getattr(limit, "attr", getattr(limit, "id", ""))
    if isinstance(limit, ast.Name) and scope.function:
        given = argument_of(scope, name)
        if given is not None:
            outer = Scope(scope.file)
            return _number(given, chain, outer)
    values = (_looked_up(space, name) for space in _spaces(chain))
    return next((number for it in values if (number := _whole(it)) is not None), None)


def _whole(value: object) -> int | None:
    """Return a number without its fraction."""
    if type(value) is float and math.isfinite(value):
        return int(value)
    return value if type(value) is int else None


def _looked_up(space: Mapping[str, Any], name: str) -> object:
    """Return what a name stands for, also the private one of a class."""
    if name in space or not name.startswith("__") or name.endswith("__"):
        return space.get(name)
    return next((it for key, it in list(space.items()) if str(key).endswith(name)), None)


def _computed(limit: ast.BinOp, chain: Sequence[Link], scope: Scope) -> int | None:
    """Return `10**6`, `1 << 20`, `64 * 1024`, also of variables."""
    left, right = _number(limit.left, chain, scope), _number(limit.right, chain, scope)
    if left is None or right is None or max(abs(left), abs(right)) > 1 << 40:
        return None
    if isinstance(limit.op, ast.Mult):
        return left * right
    if isinstance(limit.op, ast.Add | ast.Sub):
        return left + right if isinstance(limit.op, ast.Add) else left - right
    if isinstance(limit.op, ast.FloorDiv | ast.Div):
        return left // right if right else None
    is_small = 0 <= right <= 64 and abs(left) <= 1 << 20
    if is_small and isinstance(limit.op, ast.Pow):
        return int(left**right)
    return left << right if is_small and isinstance(limit.op, ast.LShift) else None


def _spaces(chain: Sequence[Link]) -> Iterator[Mapping[str, Any]]:
    """Yield where a name beside the holder's may be found; first in the holder itself."""
    for owner in (link.object for link in reversed(chain)):
        if is_a(owner, FrameType):
            yield dict(_engine._frame_variables(owner))
            yield owner.f_globals
            continue
        cls = owner if is_a(owner, type) else type(owner)
        yield attributes_of(owner)
        yield from map(space_of, mro_of(cls))
        yield attributes_of(sys.modules.get(module_of_class(cls)))
        config = [it for it in attributes_of(owner).values() if attributes_of(it)]
        yield from map(attributes_of, config)  # `self.config.capacity`
