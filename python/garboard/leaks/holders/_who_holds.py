"""Who holds a tensor: of one that is given, or of those that were born at a line."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard._shown.site import Site, line_of, site_of
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.holders._describe import described
from garboard.leaks.holders._holders import chain_text, holder_text
from garboard.leaks.holders._hops import Link, frame_of, links
from garboard.leaks.holders._last_error import last_error_text
from garboard.leaks.holders._roots import Roots
from garboard.leaks.holders._unasked import attributes_of, is_a, is_disposed

__all__ = ["Holders", "held_by", "who_holds"]


@dataclass(frozen=True)
class Holders:
    """What keeps one tensor alive, the holder that explains most first.

    Of several tensors, born at one line: what keeps the newest of them, then the others.

    Attributes:
        tensor: The tensor in words, with its birth.
        chains: For each object that refers to the tensor, the chain from a root.
        native: What keeps its storage alive outside Python: graph nodes, those of one op and line
            together, and exports.
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

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))  # in IPython's terminal

    def _repr_html_(self) -> str:
        from garboard._shown.html import preformatted

        return preformatted(str(self))


def who_holds(tensor: Tensor | Site | str | int, limit: int = 5) -> Holders:
    """Tell which variables, containers, graphs and exports keep a tensor alive.

    In a notebook, `Out[2]`, `_2` and `_` are one holder, `Out[2]`; what the traceback of a failed
    cell keeps says which cell, and what lets go of it.

    Args:
        tensor: The tensor in question; the variable it is passed in is one of its holders. Or its
            serial number, the one behind `#` in reports. Or a line, such as "train.py:42" or
            "In[7]:5": all that was born there and lives.
        limit: How many holders to name, and how many lines of graph nodes; of others the number is
            told.

    Returns:
        Holders: text, which keeps nothing alive.

    Raises:
        TypeError: `tensor` is none of these, `limit` no integer.
        ValueError: `limit` is below 0; no tensor of that serial number, or of that line, lives.

    >>> kept = [gb.zeros(3)]
    >>> print(gb.leaks.who_holds(kept[0]).chains[0][-1])
    [0]: Tensor float32[3] #...
    """
    most = check.count("who_holds", "limit", limit)
    asked = _tensors_of(tensor)  # the newest last
    roots = Roots(EVIDENCE)
    newest, count = asked[-1], len(asked)
    if count > 1:  # one search for all: of what no root leads to there may be thousands
        ways = roots.paths_to(asked)
        asked = [one for one, way in zip(asked, ways, strict=True) if way is not None]
    chains: list[tuple[str, ...]] = []
    names: list[str] = []
    for one in reversed(asked):
        if len(chains) >= most:
            break
        born = site_of(_engine._birth(one)[1])
        for chain in _chains_to(one, roots, most - len(chains)):
            chains.append(chain_text(chain))
            names.append(held_by(chain, born))
    text = f"{described(newest)}, born at {site_of(_engine._birth(newest)[1])}"
    return Holders(
        tensor=text if count == 1 else f"{text}, the newest of {count}",
        chains=tuple(chains),
        native=_native_holders(newest, most),
        names=tuple(names),
    )


def held_by(chain: list[Link], born: Site) -> str:
    """Return the holder in words, with what frees it where a notebook or traceback is it."""
    text = last_error_text(chain)
    return holder_text(chain, born) + (f", {text}" if text else "")


def _chains_to(tensor: Tensor, roots: Roots, most: int) -> list[list[Link]]:
    """Return a chain for each reference to the tensor, at most so many."""
    found: list[list[Link]] = []
    hidden: list[tuple[object, object]] = []
    told: list[FrameType] = []
    while len(found) < most:
        path = roots.paths_to([tensor], hidden)[0]
        if path is None:
            break
        chain = links(path)
        frame = _frame_of_variable(chain)
        if all(it is not frame for it in told):
            found.append(chain)
        if len(path) < 2:
            break
        if frame is not None:
            told.append(frame)  # which a generator leads to, and to copies of its variables
        # By another reference; an object's attributes may be a dict since they were named.
        hidden += [(path[-2], tensor), (attributes_of(path[-2]), tensor)]
    return found


def _frame_of_variable(chain: list[Link]) -> FrameType | None:
    """Return the frame whose variable a chain ends with: the holder, or the generator's."""
    if len(chain) < 2 or chain[-1].edge.kind != "local":
        return None
    holder = chain[-2].object
    return holder if is_a(holder, FrameType) else frame_of(holder)


_NEEDED = "a Tensor, its serial number, or a line such as 'train.py:42'"


def _tensors_of(given: Any) -> list[Tensor]:
    """Return the tensors in question, the oldest first; each is alive."""
    if isinstance(given, Tensor):
        return [given]
    if isinstance(given, (Site, str)):
        line = given.place if isinstance(given, Site) else check.text("who_holds", "tensor", given)
        found, of_what = _born_at(line), f"{shown(line)}; a line where a living tensor was born"
    else:
        number = check.integer("who_holds", "tensor", given, _NEEDED)
        found = _numbered(number)
        of_what = f"serial number {shown(number)}; that of a living tensor"
    if not found:
        raise ValueError(f"who_holds: {of_what} is needed")
    return found


def _numbered(serial: int) -> list[Tensor]:
    if not 0 <= serial < _engine._next_serials()[0]:
        return []
    return [it["tensor"] for it in _engine._aliases(serial) if it["serial"] == serial]


def _born_at(line: str) -> list[Tensor]:
    rows = _engine._aliases()
    sites = {number: site_of(number) for number in {row["site"] for row in rows}}
    wanted = {number for number, site in sites.items() if line in _names_of(site)}
    return [row["tensor"] for row in rows if row["site"] in wanted]


def _names_of(site: Site) -> set[str]:
    """Return what a line is called here and there: with its function, by its path, as its cell."""
    return {str(site), site.place, site.place.rpartition(":")[0], f"{site.file}:{site.line}"}


def _native_holders(tensor: Tensor, most: int) -> tuple[str, ...]:
    """Return what keeps the storage: so many lines of graph nodes at most, and exports."""
    if is_disposed(tensor):
        return ()
    nodes, exports = _engine._storage_keepers(tensor)
    lines: dict[tuple[str, int], list[int]] = {}
    for name, serial, site in nodes:
        lines.setdefault((name, line_of(site)), []).append(serial)
    by_number = sorted(lines.items(), key=lambda it: -len(it[1]))  # the oldest first of equals
    kept = [_nodes_text(name, site, serials) for (name, site), serials in by_number[:most]]
    if left := sum(len(serials) for _, serials in by_number[most:]):
        kept.append(f"graph nodes{' of other lines' if kept else ''} ({left} of them)")
    if exports:
        more = f" ({exports} of them)" if exports > 1 else ""
        kept.append(f"an array, capsule or buffer outside the library{more}")
    return tuple(kept)


def _nodes_text(name: str, site: int, serials: list[int]) -> str:
    """Tell of the nodes that one op has recorded at one line."""
    where = f"recorded at {site_of(site)}"
    if len(serials) == 1:
        return f"graph node {name} #{serials[0]}, {where}"
    return f"graph nodes {name}, {where} ({len(serials)} of them, the newest #{max(serials)})"
