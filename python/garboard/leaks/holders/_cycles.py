"""The smallest reference cycle that keeps a piece of garbage waiting for the collector."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from types import FrameType
from typing import Any

from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._rows import Survivor
from garboard.leaks.holders._describe import described, is_context, place_of
from garboard.leaks.holders._hops import Link, links
from garboard.leaks.holders._roots import is_ours
from garboard.leaks.holders._unasked import is_a, module_of_class

__all__ = ["Cycle", "cycle_through"]

_MOST_LEVELS, _MOST_OBJECTS = 16, 500


@dataclass(slots=True)
class Cycle:
    """A tensor behind a cycle, as text.

    Attributes:
        serial: The tensor's.
        site: Its birth site's number.
        step: Its birth step.
        nbytes: Its bytes.
        chain: Once round the cycle, then to the tensor, a line each.
        edges: The kinds and names of the edges, without indexes.
        holder: Type and name of the first object of the cycle that has one.
        place: A line where a function on the cycle is defined, or "".
        is_stashed: True where an attribute of a Function's `ctx` is on it.
        is_native: True where no object of the program's is on it.
    """

    serial: int
    site: int
    step: int
    nbytes: int
    chain: tuple[str, ...]
    edges: tuple[str, ...]
    holder: str
    place: str
    is_stashed: bool = False
    is_native: bool = False


def cycle_through(survivor: Survivor) -> Cycle | None:
    """Go back from a tensor along its referrers until one of them is met a second time."""
    towards: dict[int, Any] = {id(survivor.tensor): None}  # object to the next one on the way
    level: list[Any] = [survivor.tensor]
    ours = [survivor, towards]
    for _ in range(_MOST_LEVELS):
        holders = [it for it in gc.get_referrers(*level) if not _is_onlooker(it, [*ours, level])]
        above = []
        for holder in holders:
            held = next(
                (it for it in gc.get_referents(holder) if any(it is x for x in level)), None
            )
            if held is None:
                continue
            way = _way(held, towards)
            if any(it is holder for it in way):
                return _cycle(survivor, [holder, *way])
            if id(holder) not in towards:
                towards[id(holder)] = held
                above.append(holder)
        if not above or len(above) > _MOST_OBJECTS:
            return None
        level = above
    return None


def _way(thing: Any, towards: dict[int, Any]) -> list[Any]:
    """The objects from `thing` to the tensor."""
    way = []
    while thing is not None:
        way.append(thing)
        thing = towards[id(thing)]
    return way


def _is_onlooker(holder: Any, ours: list[Any]) -> bool:
    if is_a(holder, FrameType):
        return is_ours(holder)
    return any(holder is it for it in ours)


def _cycle(survivor: Survivor, path: list[Any]) -> Cycle:
    chain = links(path)
    named = next((link for link in chain if _is_instance(link)), chain[0])
    places = [place_of(link.object) for link in chain[:-1]]
    return Cycle(
        serial=survivor.serial,
        site=survivor.site,
        step=survivor.step,
        nbytes=survivor.nbytes,
        chain=tuple(
            described(link.object)
            if link.edge.kind == "root"
            else f"{link.edge}: {described(link.object)}"
            for link in chain
        ),
        edges=tuple(
            link.edge.kind if link.edge.kind == "item" else str(link.edge) for link in chain[1:]
        ),
        holder=described(named.object),
        place=next((place.place for place in places if place is not None), ""),
        is_stashed=any(is_context(it) for it in path),
        is_native=all(_is_of_library(it) for it in path),
    )


def _is_of_library(thing: Any) -> bool:
    return is_one("tensor", thing) or module_of_class(type(thing)).startswith(
        ("garboard", "torch.")
    )


def _is_instance(link: Link) -> bool:
    return module_of_class(type(link.object)) != "builtins"
