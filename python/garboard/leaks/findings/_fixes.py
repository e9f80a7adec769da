"""What to change, written into the user's own line where that can be read."""

from __future__ import annotations

import ast
from typing import NamedTuple

from garboard._shown.site import Site, site_of
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import storing_of
from garboard.leaks.holders._mending import mended_sum, with_ending
from garboard.leaks.holders._source import accumulation_at

__all__ = ["Accumulating", "accumulating", "stored_as"]


class Accumulating(NamedTuple):
    """The statement that makes a graph grow.

    Attributes:
        name: What accumulates, as the program calls it.
        value: What is added to it, so that a method can follow.
        is_augmented: True for `name += value`.
        is_scalar: True where numbers would do.
        statement: The whole, as text; empty where it cannot be read.
    """

    name: str
    value: str
    is_augmented: bool
    is_scalar: bool
    statement: str = ""

    def with_ending(self, ending: str) -> str | None:
        """Return the statement with `.ending()` behind what it adds."""
        return mended_sum(self.statement, ending) if self.statement else None


def accumulating(site: Site, holder: str, is_scalar: bool) -> Accumulating:
    """Read what a graph that grows at `site` and hangs on `holder` accumulates."""
    found = accumulation_at(site.file, site.line)
    value = found.value if found and found.value else "the new value"
    name = found.target if found else holder or "the sum"
    is_augmented = bool(found and found.is_augmented)
    statement = found.statement if found else ""
    return Accumulating(name, _called(value), is_augmented, is_scalar, statement)


def stored_as(group: Group, ending: str) -> str | None:
    """Return the statement that stores into the holder, with `.ending()` behind the tensor."""
    storing = storing_of(group.named, site_of(group.survivors[-1].site))
    if storing is None or (storing[1].is_assignment and group.is_contained):
        return None
    below = group.chain[group.at + 2 :] if group.is_contained else ()
    if any(link.edge.kind != "item" for link in below):
        return None
    found = storing[1]
    return with_ending(found.statement, found.value, [it.edge.name for it in below], ending)


def _called(value: str) -> str:
    """Put an expression into parentheses where a method could not follow it."""
    try:
        node = ast.parse(value, mode="eval").body
    except SyntaxError:
        return value
    is_primary = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return value if is_primary else f"({value})"
