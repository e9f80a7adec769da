"""What a holder is called: chains from a root down to a tensor, as text that names variables and
lines."""

from __future__ import annotations

import ast
import threading
import weakref
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from types import FrameType, FunctionType, MappingProxyType, MethodType
from typing import Any

from garboard._arguments.texts import printable
from garboard._shown.notebook import CellOutputs, cell_files, cell_of
from garboard._shown.site import Site
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.holders._describe import code_of, described, file_of, is_context, place_of
from garboard.leaks.holders._emptying import (
    is_in_loop,
)
from garboard.leaks.holders._hops import Link
from garboard.leaks.holders._library import is_of_library
from garboard.leaks.holders._readers import are_items_tensors
from garboard.leaks.holders._roots import ANYWHERE, ExitCallbacks, Opened, depth_of
from garboard.leaks.holders._source import (
    Storing,
    callee,
    calling_line,
    joining,
    variable_called,
)
from garboard.leaks.holders._statements import Scope, statement_at
from garboard.leaks.holders._storing import (
    methods_that_fill,
    stored_by_another_name,
    storing_in_class,
    storing_line,
)
from garboard.leaks.holders._unasked import (
    attributes_of,
    is_a,
    is_cache,
    items_of,
    length_of,
    mro_of,
    type_name,
)

__all__ = [
    "are_items_tensors_of",
    "chain_places",
    "chain_text",
    "expression",
    "holder_site",
    "holder_text",
    "is_of_a_call_that_recurs",
    "joining_of",
    "last_named",
    "scopes_of",
    "storing_of",
    "way_in",
]


def chain_text(chain: Sequence[Link]) -> tuple[str, ...]:
    """Return one line a hop, the root first."""
    found = []
    for link, place in zip(chain, chain_places(chain), strict=True):
        text = described(link.object) + (f" ({place.place})" if place else "")
        found.append(text if link.edge.kind == "root" else f"{link.edge}: {text}")
    return tuple(found)


def chain_places(chain: Sequence[Link]) -> tuple[Site | None, ...]:
    """Return the line of each hop that has one."""
    return tuple(None if is_a(it.object, type) else place_of(it.object) for it in chain)


_VARIABLES = (
    "argument", "global", "local", "closure variable", "default argument", "context variable",
    "fixture", "output",
)  # fmt: skip


def expression(chain: Sequence[Link]) -> str:
    """Return how the last object is called: `losses`, `Trainer.history['loss']`.

    An attribute is called by its class: the line that sets it says `self`.
    """
    text = ""
    for before, link in pairwise(chain):
        kind, name = link.edge
        if kind in _VARIABLES and name:
            text = name
        elif kind == "class attribute":
            text = f"{type_name(before.object)}.{name}"
        elif kind == "thread-local":
            text = f"{text}.{name}"
        elif kind == "attribute":
            owner = before.object
            text = f"{_owner_called(owner)}.{name}"
        elif kind == "item":
            text = f"{text}[{name}]"
        elif kind == "cached result":
            text = f"{text}(...)"
    return text


def _owner_called(owner: Any) -> str:
    if is_a(owner, FunctionType):
        return printable(owner.__name__)
    return "ctx" if is_context(owner) else type_name(type(owner))


def storing_of(chain: Sequence[Link], near: Site) -> tuple[str, Storing] | None:
    """Return the file and the statement of the program's that fill the last object of a chain."""
    at = last_named(chain) or 0
    keys = tuple(link.edge.name for link in chain[at + 1 :] if link.edge.kind == "item")
    kind = chain[at].edge.kind
    for scope, name in scopes_of(chain, near):
        if is_of_library(scope.file):
            continue
        line = near.line if near.file == scope.file else 0
        found = storing_line(scope, name, line, keys)
        if kind == "context variable" and length_of(chain[-1].object) is not None:
            found = stored_by_another_name(scope, name, line) or found
        if found is None or found.is_assignment:
            found = _stored_by_itself(scope.file, chain[-1].object) or found
        if found is not None:
            return scope.file, found
    return None


def _stored_by_itself(file: str, thing: Any) -> Storing | None:
    """Return the line of a class of the program's, made of a list or dict, that fills it."""
    classes = [it for it in mro_of(type(thing)) if file_of(it) == file]
    return storing_in_class(file, type_name(classes[0])) if classes else None


def joining_of(chain: Sequence[Link], near: Site) -> str:
    """Return what the program makes one tensor of the items with, such as `stack`."""
    return next(filter(None, (joining(*it) for it in scopes_of(chain, near))), "")


def are_items_tensors_of(chain: Sequence[Link], near: Site) -> bool:
    """Tell whether the program needs the items of the last object of a chain as tensors."""
    return any(are_items_tensors(*it) for it in scopes_of(chain, near))


def holder_site(chain: Sequence[Link], near: Site) -> Site | None:
    """Return the line that fills the last object of a chain, or where its owner is defined; None
    where neither is in a file of the program's."""
    at = last_named(chain)
    if type(chain[-1].object) is ExitCallbacks:
        return _called_near(near, {"register"})
    if at is None or chain[at].edge.kind == "output":  # which no line stores
        return _own_place(chain[-1].object) if at is None else None
    if chain[-1].object is attributes_of(threading).get("_active"):
        return _called_near(near, set(map(type_name, map(type, items_of(chain[-1].object)))))
    if any(link.object is weakref.finalize for link in chain):
        return _called_near(near, {"finalize"})
    if is_cache(chain[-1].object):
        return place_of(chain[-1].object)
    if chain[at].edge.kind == "fixture":  # a test fills it by the name of an argument
        return place_of(attributes_of(chain[at - 1].object).get("func"))
    found = storing_of(chain, near)
    if found is None and (place := _filled_by_library(chain, near)) is not None:
        return place
    if (found is None or found[1].is_assignment) and is_one("module", chain[-1].object):
        found_by_name = _called_near(near, _NAMING)
        if found_by_name is not None:
            return found_by_name
    if found is not None:
        return Site(found[0], found[1].line, "")
    return _own_place(chain[at - 1].object)


_NAMING = {"add_module", "register_buffer", "register_module", "register_parameter", "setattr"}


def _filled_by_library(chain: Sequence[Link], near: Site) -> Site | None:
    """Return the line that calls the method by which a class of a library's fills an attribute of
    its own, such as `Logger.addHandler` for `handlers`."""
    if is_a(chain[-1].object, MappingProxyType):
        return _called_near(near, {"register"})  # of `singledispatch`
    names = _ways_into(chain)
    return _called_near(near, names) if names else None


def _ways_into(chain: Sequence[Link]) -> set[str]:
    """Return the methods of a library's class that fill the last object of a chain."""
    at = last_named(chain) or 0
    names: set[str] = set()
    if chain[at].edge.kind == "attribute":
        for cls in mro_of(type(chain[at - 1].object)):
            file = file_of(cls) if cls is not object else ""
            if is_of_library(file) and file.endswith(".py"):
                names |= methods_that_fill(file, type_name(cls), chain[at].edge.name)
    return names


def way_in(chain: Sequence[Link], near: Site) -> str:
    """Return how the program calls a method of a library's that fills the last object of a chain,
    as `log.addHandler()`; empty where it does not."""
    names = _ways_into(chain) if storing_of(chain, near) is None else set()
    place = _called_near(near, names) if names else None
    statement = statement_at(place.file, place.line) if place is not None else None
    calls = [it for it in ast.walk(statement) if isinstance(it, ast.Call)] if statement else []
    return next((f"{ast.unparse(it.func)}()" for it in calls if callee(it) in names), "")


def _own_place(thing: Any) -> Site | None:
    """Return the line of a thing in a file of the program's."""
    place = place_of(thing)
    return place if place is not None and not is_of_library(place.file) else None


def _called_near(near: Site, names: set[str]) -> Site | None:
    """Return the line of the program's that calls one of these and is nearest to another."""
    line = None if is_of_library(near.file) else calling_line(near.file, names, near.line)
    return None if line is None else Site(near.file, line, "")


def is_of_a_call_that_recurs(chain: Sequence[Link], opened: Opened = ANYWHERE) -> bool:
    """Tell whether a chain begins at a variable of a call that a loop of the program repeats."""
    frame = chain[0].object
    if not is_a(frame, FrameType) or len(chain) < 2 or chain[1].edge.kind != "local":
        return False
    depth, file, caller = depth_of(frame), frame.f_code.co_filename, frame.f_back
    while caller is not None and caller.f_code.co_filename == file and depth > opened.depth:
        depth -= 1
        after = opened.line if depth == opened.depth else 0
        if depth >= opened.depth and is_in_loop(printable(file), caller.f_lineno, after):
            return True
        caller = caller.f_back
    return False


def last_named(chain: Sequence[Link]) -> int | None:
    named = [i for i, link in enumerate(chain) if link.edge.name and link.edge.kind != "item"]
    return named[-1] if named else None


def scopes_of(chain: Sequence[Link], near: Site) -> list[tuple[Scope, str]]:
    """Where to look for the name of the last object of a chain, and the name."""
    at = last_named(chain)
    if at is None:
        return []
    (kind, name), owner = chain[at].edge, chain[at - 1].object
    called = partial.func.__get__(owner) if kind == "argument" else owner
    if kind == "argument" and is_a(called, MethodType):
        called = called.__func__
    code = owner.f_code if is_a(owner, FrameType) else code_of(called)
    if code is not None and kind not in ("global", "attribute"):
        inner = Scope(printable(code.co_filename), code.co_firstlineno)
        # A closure's variable is its outer function's; a local is nobody else's.
        return [(inner, name)] if kind == "local" else [(inner, name), (Scope(inner.file), name)]
    is_attribute = kind in ("attribute", "class attribute", "thread-local")
    cells = cell_files() if cell_of(near.file) else ()  # which share their variables
    if kind == "context variable":
        return [(Scope(file), variable_called(file, name)) for file in (near.file, *cells)]
    files = dict.fromkeys((file_of(owner), near.file, *cells))  # the class may be a library's
    cls = owner if is_a(owner, type) else type(owner)
    also = mro_of(type(owner)) if is_a(owner, type) else ()  # `cls.made` of a metaclass
    classes = tuple(map(type_name, (*mro_of(cls), *also))) if is_attribute else ()
    return [(Scope(file, 0, is_attribute, classes), name) for file in files]


_OF_THE_HOLDER = ("bound to", "refers to")  # edges without a name: the holder has one


def holder_text(
    chain: Sequence[Link], near: Site, place: Site | None = None, others: str = ""
) -> str:
    """Return the holder's type, name and line: "list `losses` (train.py:12)".

    The line is the one that fills it, unless another one is given. `others` follows the name.
    """
    last = chain[-1]
    kind = last.edge.kind
    if type(last.object) is CellOutputs:  # several of them: a value alone is called by its number
        return "output history `Out`"
    site = place or holder_site(chain, near)
    where = f" ({site.place})" if site else ""
    if type(last.object) is ExitCallbacks:
        return f"callbacks of atexit{where}"
    if last.object is attributes_of(threading).get("_active"):
        return f"running threads{where}"
    if is_one("tensor", last.object) or kind == "cached result":
        what = type_name(type(chain[-2].object)) if kind in _OF_THE_HOLDER else kind
    else:
        what = "lru_cache" if is_cache(last.object) else type_name(type(last.object))
    if kind == "closure variable" and what != kind:
        what = f"closure variable, {what}"
    name = expression(chain)
    if not name:
        return described(last.object) + where
    return f"{what} `{name}`{others}{where}"
