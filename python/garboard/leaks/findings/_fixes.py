"""What to change, written into the user's own line where that can be read."""

from __future__ import annotations

import ast
from typing import NamedTuple

from garboard._site import Site, site_of
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import storing_of
from garboard.leaks.holders._source import accumulation_at

__all__ = ["Accumulating", "accumulating", "stored_as"]


class Accumulating(NamedTuple):
    """The statement that makes a graph grow.

    Attributes:
        name: What accumulates, as the program calls it.
        value: What is added to it, so that a method can follow.
        is_augmented: True for `name += value`.
        is_scalar: True where numbers would do.
    """

    name: str
    value: str
    is_augmented: bool
    is_scalar: bool


def accumulating(site: Site, holder: str, is_scalar: bool) -> Accumulating:
    """Read what a graph that grows at `site` and hangs on `holder` accumulates."""
    found = accumulation_at(site.file, site.line)
    value = found.value if found and found.value else "the new value"
    name = found.target if found else holder or "the sum"
    return Accumulating(name, _called(value), bool(found and found.is_augmented), is_scalar)


def stored_as(group: Group, ending: str) -> str | None:
    """Return the statement that stores into the holder, with `ending` behind what it stores."""
    storing = storing_of(group.named, site_of(group.survivors[-1].site))
    if storing is None:
        return None
    _, (_, statement, value) = storing
    if value not in statement or "\n" in statement:
        return None
    before, _, after = statement.rpartition(value)
    return f"{before}{_called(value)}{ending}{after}"


def _called(value: str) -> str:
    """Put an expression into parentheses where a method could not follow it."""
    try:
        node = ast.parse(value, mode="eval").body
    except SyntaxError:
        return value
    is_primary = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return value if is_primary else f"({value})"
