"""What lives, by who holds it: the variable, the output, the failed cell, and what lets go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import Any

from garboard import _engine
from garboard._engine import human_bytes
from garboard._shown.html import Table
from garboard._shown.notebook import leaks_magic
from garboard._shown.site import Site, site_of
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._rows import Since, Survivor
from garboard.leaks.findings._making import counted
from garboard.leaks.holders._holders import expression, holder_text
from garboard.leaks.holders._hops import Link, links
from garboard.leaks.holders._last_error import is_last_error, last_error_text
from garboard.leaks.holders._roots import Roots
from garboard.leaks.holders._unasked import is_a, module_name_of

__all__ = ["EVERYTHING", "Left", "holders_table", "left_since"]

EVERYTHING = Since(0, 0, 0)
_MOST_LOOKED_UP = 2000  # tensors; older ones stand in one row, without a holder
_MOST_ROWS = 8
_OF_LIBRARY = "the library (gradients, optimizers, graphs)"
_OLDER = "older ones, not looked up"
_GARBAGE = "nothing that Python shows, or a reference cycle that waits for the garbage collector"


@dataclass(frozen=True)
class Left:
    """What one holder has. Text and numbers: nothing here keeps a tensor.

    Attributes:
        holder: Who, as the notebook calls it.
        count: Tensors.
        nbytes: Of their storages; one that several holders have counts for the first.
        what: What they are.
        born: Where the newest was born.
    """

    holder: str
    count: int
    nbytes: int
    what: str
    born: str

    @property
    def name(self) -> str:
        """The holder, without what frees it and where it stands."""
        return self.holder.partition(", freed by")[0].partition(" (")[0]


def left_since(since: Since) -> list[Left]:
    """Return what was born since then and lives, the holders with the most bytes first.

    Of very many tensors the newest are looked up.
    """
    serials = EVIDENCE.serials(since.alias)
    older = max(len(serials) - _MOST_LOOKED_UP, 0)
    first = serials[older] if older else since.alias
    storages = _engine._storages(since.storage)
    sizes = {it["serial"]: it["bytes"] for it in storages if not it["is_foreign"]}
    groups: dict[str, list[Survivor]] = {}
    nbytes: dict[str, int] = {}
    for holder, survivor in _held(list(EVIDENCE.survivors(first))):
        groups.setdefault(holder, []).append(survivor)
        nbytes[holder] = nbytes.get(holder, 0) + sizes.pop(survivor.storage, 0)
    found = [
        Left(holder, len(those), nbytes[holder], _kind_of(those), _birth_of(those))
        for holder, those in groups.items()
    ]
    rest = [nbytes for nbytes in sizes.values() if nbytes]
    if older:
        found.append(Left(_OLDER, older, sum(rest), counted(older, "tensor"), ""))
    elif rest:  # what no tensor of Python's has
        found.append(Left(_OF_LIBRARY, 0, sum(rest), counted(len(rest), "storage"), ""))
    return sorted(found, key=lambda it: (-it.nbytes, -it.count, it.holder))


def _held(asked: list[Survivor]) -> Iterator[tuple[str, Survivor]]:
    if not asked:
        return
    paths = Roots(EVIDENCE).paths_to([it.tensor for it in asked])
    for survivor, path in zip(asked, paths, strict=True):
        yield (_GARBAGE if path is None else _called(path, site_of(survivor.site))), survivor


def _called(path: list[Any], born: Site) -> str:
    """Return the name at which a person would begin: the variable, and not what it leads to."""
    if any(is_a(it, TracebackType) for it in path) and is_last_error(chain := links(path)):
        return f"{_local(chain)}, {last_error_text(chain)}"
    # A name is within two hops of most roots, and to name an item of a long list takes a while.
    chain = links(path[:3])
    top = _first_named(chain)
    if top is None:
        chain = links(path)
        top = _first_named(chain)
    if top is None:
        return holder_text(chain, born)
    kind, name = chain[top].edge
    if kind == "output":
        return f"{name}, freed by {leaks_magic('clear out')}"
    if kind == "global":
        return f"{_module_prefix(chain[0].object)}{name}"
    return holder_text(chain[: top + 1], born)


def _first_named(chain: Sequence[Link]) -> int | None:
    return next((at for at, link in enumerate(chain) if link.edge.name), None)


def _local(chain: Sequence[Link]) -> str:
    """Return the variable of the frame that an error has passed."""
    names = [link.edge.name for link in chain if link.edge.kind == "local"]
    return names[-1] if names else expression(chain)


def _module_prefix(root: Any) -> str:
    """Return `module.` for a variable of another module than the notebook's own."""
    name = module_name_of(root) if is_a(root, ModuleType) else ""
    return "" if name in ("__main__", "") else f"{name}."


def _kind_of(those: Sequence[Survivor]) -> str:
    return those[0].type_text if len(those) == 1 else counted(len(those), "tensor")


def _birth_of(those: Sequence[Survivor]) -> str:
    lines = {site_of(number).place for number in {it.site for it in those}}
    newest = site_of(those[-1].site).place
    return newest if len(lines) == 1 else f"{newest} and {len(lines) - 1} other lines"


def holders_table(those: Sequence[Left]) -> Table:
    """Return a row for each holder, the largest; the others in one."""
    table = Table(("bytes", "what", "born", "held by"), ("bytes",))
    for it in those[:_MOST_ROWS]:
        table.rows.append((human_bytes(it.nbytes), it.what, it.born, it.holder))
    if more := those[_MOST_ROWS:]:
        count = sum(it.count for it in more)
        nbytes = human_bytes(sum(it.nbytes for it in more))
        table.rows.append((nbytes, counted(count, "tensor"), "", f"{len(more)} other holders"))
    return table
