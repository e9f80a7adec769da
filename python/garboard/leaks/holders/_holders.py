"""Who holds a tensor: chains from a root down to it, as text that names variables and lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import FrameType
from typing import Any

from garboard import _check as check
from garboard import _engine
from garboard._engine import Tensor
from garboard._site import Site, site_of
from garboard._texts import printable
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.holders._describe import code_of, described, file_of, is_context, place_of
from garboard.leaks.holders._hops import Link, links
from garboard.leaks.holders._roots import ANYWHERE, Opened, depth_of, phases
from garboard.leaks.holders._source import Scope, Storing, is_emptied, is_in_loop, storing_line
from garboard.leaks.holders._unasked import is_a, is_cache, is_disposed, type_name

__all__ = [
    "Holders",
    "chain_text",
    "expression",
    "holder_site",
    "holder_text",
    "may_be_emptied",
    "storing_of",
    "who_holds",
]


def chain_text(chain: Sequence[Link]) -> tuple[str, ...]:
    """Return one line a hop, the root first."""
    found = []
    for link in chain:
        place = None if is_a(link.object, type) else place_of(link.object)
        text = described(link.object) + (f" ({place.place})" if place else "")
        found.append(text if link.edge.kind == "root" else f"{link.edge}: {text}")
    return tuple(found)


def expression(chain: Sequence[Link]) -> str:
    """Return how the last object is called: `losses`, `Trainer.history['loss']`.

    An attribute is called by its class: the line that sets it says `self`.
    """
    text = ""
    for before, link in pairwise(chain):
        kind, name = link.edge
        if kind in ("global", "local", "closure variable", "default argument") and name:
            text = name
        elif kind == "class attribute":
            text = f"{type_name(before.object)}.{name}"
        elif kind == "thread-local":
            text = f"{text}.{name}"
        elif kind == "attribute":
            owner = before.object
            text = f"{'ctx' if is_context(owner) else type_name(type(owner))}.{name}"
        elif kind == "item":
            text = f"{text}[{name}]"
        elif kind == "cached result":
            text = f"{text}(...)"
    return text


def storing_of(chain: Sequence[Link], near: Site) -> tuple[str, Storing] | None:
    """Return the file and the statement that fill the last object of a chain."""
    at = _last_named(chain) or 0
    keys = tuple(link.edge.name for link in chain[at + 1 :] if link.edge.kind == "item")
    for scope, name in _scopes(chain, near):
        found = storing_line(scope, name, near.line if near.file == scope.file else 0, keys)
        if found is not None:
            return scope.file, found
    return None


def holder_site(chain: Sequence[Link], near: Site) -> Site | None:
    """Return the line that fills the last object of a chain, or where its owner is defined."""
    at = _last_named(chain)
    if at is None:
        return None
    if is_cache(chain[at].object):
        return place_of(chain[at].object)
    found = storing_of(chain, near)
    if found is not None:
        return Site(found[0], found[1].line, "")
    owner = chain[at - 1].object
    file = file_of(owner)
    return place_of(owner) or (Site(file, 1, "") if file else None)


def may_be_emptied(chain: Sequence[Link], near: Site, opened: Opened = ANYWHERE) -> bool:
    """Tell whether the program has code that takes items out of the last object of a chain.

    Or will begin it anew: a variable of a function ends with the call, and a loop of the program
    calls again. A loop around the whole check does not.
    """
    if any(is_emptied(scope, name) for scope, name in _scopes(chain, near)):
        return True
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


def _last_named(chain: Sequence[Link]) -> int | None:
    named = [i for i, link in enumerate(chain) if link.edge.name and link.edge.kind != "item"]
    return named[-1] if named else None


def _scopes(chain: Sequence[Link], near: Site) -> list[tuple[Scope, str]]:
    """Where to look for the name of the last object of a chain, and the name."""
    at = _last_named(chain)
    if at is None:
        return []
    (kind, name), owner = chain[at].edge, chain[at - 1].object
    code = owner.f_code if is_a(owner, FrameType) else code_of(owner)
    if code is not None and kind != "global":
        inner = Scope(printable(code.co_filename), code.co_firstlineno)
        # A closure's variable is its outer function's; a local is nobody else's.
        return [(inner, name)] if kind == "local" else [(inner, name), (Scope(inner.file), name)]
    is_attribute = kind in ("attribute", "class attribute", "thread-local")
    files = dict.fromkeys((file_of(owner), near.file))  # the class may be another library's
    return [(Scope(file, 0, is_attribute), name) for file in files]


def holder_text(chain: Sequence[Link], near: Site, place: Site | None = None) -> str:
    """Return the holder's type, name and line: "list `losses` (train.py:12)".

    The line is the one that fills it, unless another one is given.
    """
    last = chain[-1]
    kind = last.edge.kind
    if is_a(last.object, Tensor) or kind == "cached result":
        what = kind
    else:
        what = "lru_cache" if is_cache(last.object) else type_name(type(last.object))
    if kind == "closure variable" and what != kind:
        what = f"closure variable, {what}"
    name = expression(chain) or described(last.object)
    site = place or holder_site(chain, near)
    return f"{what} `{name}`" + (f" ({site.place})" if site else "")


@dataclass(frozen=True)
class Holders:
    """What keeps one tensor alive, the holder that explains most first.

    Attributes:
        tensor: The tensor in words, with its birth.
        chains: For each object that refers to the tensor, the chain from a root.
        native: What keeps its storage alive outside Python: graph nodes, exports.
        names: Each chain's holder in words.
    """

    tensor: str
    chains: tuple[tuple[str, ...], ...]
    native: tuple[str, ...] = ()
    names: tuple[str, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        lines = [self.tensor]
        for name, chain in zip(self.names, self.chains, strict=True):
            lines.append(f"held by {name}")
            lines += [f"  {'╰→' if i == len(chain) - 1 else '│ '} {x}" for i, x in enumerate(chain)]
        lines += [f"storage kept by {text}" for text in self.native]
        if not self.chains and not self.native:
            lines.append("held by nothing that can be seen from Python")
        return "\n".join(lines)


def who_holds(tensor: Tensor, limit: int = 5) -> Holders:
    """Tell which variables, containers, graphs and exports keep a tensor alive.

    Args:
        tensor: The tensor in question; the variable it is passed in is one of its holders.
        limit: How many holders to name.

    Returns:
        Holders: text, which keeps nothing alive.

    Raises:
        TypeError: `tensor` is no Tensor, `limit` no integer.
        ValueError: `limit` is below 0.

    >>> kept = [gb.zeros(3)]
    >>> print(gb.leaks.who_holds(kept[0]).chains[0][-1])
    [0]: Tensor float32[3] #...
    """
    most = check.count("who_holds", "limit", limit)
    born = site_of(_engine._birth(check.tensor("who_holds", "tensor", tensor))[1])
    skip: list[Any] = []
    chains: list[tuple[str, ...]] = []
    names: list[str] = []
    for _ in range(most):
        path = _engine._holder_paths(phases(EVIDENCE), [tensor], skip)[0]
        if path is None:
            break
        chain = links(path)
        chains.append(chain_text(chain))
        names.append(holder_text(chain, born))
        if len(path) < 2:
            break
        skip.append(path[-2])  # the next chain must come by another holder
        del path, chain
    return Holders(
        tensor=f"{described(tensor)}, born at {born}",
        chains=tuple(chains),
        native=_native_holders(tensor),
        names=tuple(names),
    )


def _native_holders(tensor: Tensor) -> tuple[str, ...]:
    if is_disposed(tensor):
        return ()
    nodes, exports = _engine._storage_keepers(tensor)
    kept = [
        f"graph node {name} #{serial}, recorded at {site_of(site)}" for name, serial, site in nodes
    ]
    if exports:
        more = f" ({exports} of them)" if exports > 1 else ""
        kept.append(f"an array, capsule or buffer outside the library{more}")
    return tuple(kept)
