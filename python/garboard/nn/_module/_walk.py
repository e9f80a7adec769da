"""The modules below one, at any depth, without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from garboard._engine import GarboardError

if TYPE_CHECKING:
    from garboard.nn.module import Module

__all__ = ["is_below", "too_deep", "walk"]

_DEEP = 50  # levels: what recurses where there are fewer is not the nest


def walk(root: Module, prefix: str, seen: set[Any] | None) -> Iterator[tuple[str, Module]]:
    """Yield `root` and all below it with their paths, parents first.

    What is in `seen` is left out, and what is yielded comes to it; where that is None, a module is
    yielded in each of its places. A generator inside another for each level would hand each module
    up through all of them.
    """
    if seen is not None:
        if root in seen:
            return
        seen.add(root)
    yield prefix, root
    way = [(prefix, root, root._places())]
    on_the_way = {id(root)}  # what holds itself, where `vars` were changed by hand, ends there
    while way:
        path, module, places = way[-1]
        name, child = next(places, ("", None))
        if child is None:
            on_the_way.discard(id(module))
            way.pop()
            continue
        if id(child) in on_the_way or (seen is not None and child in seen):
            continue
        if seen is not None:
            seen.add(child)
        below = f"{path}.{name}" if path else name
        yield below, child
        way.append((below, child, child._places()))
        on_the_way.add(id(child))


def is_below(module: Any, other: Any) -> bool:
    """Tell whether `module` is `other` or below it. What nobody holds is below nothing."""
    is_held = vars(module).get("_is_held", True)
    return module is other or (is_held and any(it is module for it in other.modules()))


def too_deep(op: str, module: Any) -> GarboardError:
    """What to raise for the RecursionError that is handled; raises that where it is another's."""
    levels = max(path.count(".") + 1 for path, _ in walk(module, "", set()))
    if levels < _DEEP:
        raise  # the one that is handled
    return GarboardError(
        f"{op}: {type(module).__name__} holds modules {levels} levels deep; fewer are needed, or "
        "sys.setrecursionlimit() for more"
    )
