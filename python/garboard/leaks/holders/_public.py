"""How far down a chain the names are the program's own: `inbox`, and not the deque in the queue."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType, ModuleType, TracebackType
from typing import Any

from garboard._shown.site import Site
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.holders._describe import file_of, is_context
from garboard.leaks.holders._hops import Link
from garboard.leaks.holders._library import is_of_library
from garboard.leaks.holders._statements import tree_of
from garboard.leaks.holders._unasked import is_a, mro_of

__all__ = ["is_kept_by_library", "public"]


def public(chain: Sequence[Link], near: Site) -> list[Link]:
    """Return a chain as far as the program names what it leads to; all of it where it never does.

    What an object of a library has inside, and what an exception has in its frames, is reached by
    way of that object: it is the one that the program can let go of. A name that the program's own
    files write, such as `space.total`, is the program's.
    """
    last = next((i for i, it in enumerate(chain) if _is_error(it.object)), len(chain) - 1)
    if last == 0 and len(chain) > 1:  # an exception that is being handled
        return list(chain[:1])
    while last > 0 and not _is_own(chain, last, near):
        last -= 1
    while 0 < last < len(chain) - 1 and chain[last + 1].edge.kind == "wraps":
        last += 1  # what a `staticmethod` stands for
    below = chain[last + 1 :]
    if last <= 0 or (below and all(it.edge.kind == "item" for it in below)):
        return list(chain)
    return list(chain[: last + 1])


def is_kept_by_library(chain: Sequence[Link], near: Site) -> bool:
    """Tell whether an optimizer of a library's keeps it in its state, by a key that the program's
    file never writes: how much it remembers is bounded by what it was made with."""
    at = next((i for i, it in enumerate(chain) if is_one("optimizer", it.object)), None)
    if at is None or not is_of_library(file_of(type(chain[at].object))):
        return False
    names = [it.edge.name for it in chain[at + 1 :]]
    keys = {it.strip("'\"") for it in names if it.startswith(("'", '"'))}
    return "state" in names[:1] and bool(keys) and not keys & _attributes_in(near.file)


def _is_error(thing: Any) -> bool:
    return is_a(thing, (BaseException, TracebackType))


def _is_own(chain: Sequence[Link], at: int, near: Site) -> bool:
    """Tell whether the program gave the name of a hop."""
    (kind, name), owner = chain[at].edge, chain[at - 1].object
    if not name or kind == "item":
        return False
    if is_a(owner, ModuleType):
        return not is_of_library(file_of(owner))
    if kind == "class attribute":
        return not is_of_library(file_of(owner))
    if kind != "attribute" or is_context(owner) or is_a(owner, FunctionType):
        return True
    if name == "state" and is_one("optimizer", owner):
        return name in _attributes_in(near.file)
    files = [file_of(cls) for cls in mro_of(type(owner)) if cls is not object]
    if not any(map(is_of_library, files)):
        return True
    own = [it for it in files if not is_of_library(it)]
    if not own and any(_is_set_in(it, name) for it in files):
        return False  # `UserList.data`: another class of the program's may have one of that name
    return any(name in _attributes_in(it) for it in (*own, near.file))


def _is_set_in(file: str, name: str) -> bool:
    """Tell whether a file sets an attribute of that name."""
    tree = tree_of(file)
    return any(
        isinstance(it, ast.Attribute) and it.attr == name and isinstance(it.ctx, ast.Store)
        for it in (ast.walk(tree) if tree else ())
    )


def _attributes_in(file: str) -> set[str]:
    """Return the names that a file writes as attributes, keywords, annotations or texts."""
    tree = tree_of(file)
    found: set[str] = set()
    for it in ast.walk(tree) if tree else ():
        if isinstance(it, ast.Attribute):
            found.add(it.attr)
        elif isinstance(it, ast.Constant) and isinstance(it.value, str):
            found.add(it.value)
        elif isinstance(it, ast.keyword | ast.arg):
            found.add(it.arg or "")
        elif isinstance(it, ast.Name) and isinstance(it.ctx, ast.Store):
            found.add(it.id)
    return found
