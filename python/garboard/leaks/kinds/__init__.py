"""The kinds of leaks, a file each. A file that is put here is a kind that the watcher knows.

Each has a `KIND`; see docs/guides/add_a_leak_kind.md.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from garboard.leaks.evidence._graphs import Chain
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._cycles import Cycle
from garboard.leaks.holders._groups import Group

__all__: list[str] = []


@cache
def all_kinds() -> tuple[Kind, ...]:
    """Return the kinds of this folder, by rank."""
    names = [found.name for found in iter_modules(__path__)]
    kinds: list[Kind] = [import_module(f"{__name__}.{name}").KIND for name in names]
    return tuple(sorted(kinds, key=lambda kind: (kind.rank, kind.name)))


@cache
def kind_called(name: str) -> Kind:
    """Return the kind of a name."""
    return next(kind for kind in all_kinds() if kind.name == name)


def kind_of_group(group: Group) -> Kind:
    """Return what tensors behind one holder are."""
    from garboard.leaks.kinds._unknown import KIND as UNKNOWN

    return next((kind for kind in all_kinds() if kind.fits(group)), UNKNOWN)


def kind_of_graph(chain: Chain, owner: Group | None) -> Kind:
    """Return what one head of a growing graph is, by the ops between two steps and by its owner."""
    from garboard.leaks.kinds._accumulated_graph import KIND as ACCUMULATED

    return next((kind for kind in all_kinds() if kind.fits_graph(chain, owner)), ACCUMULATED)


def kind_of_cycle(cycle: Cycle) -> Kind:
    """Return what a cycle is that only the collector breaks."""
    from garboard.leaks.kinds._py_cycle import KIND as PY_CYCLE

    return next((kind for kind in all_kinds() if kind.fits_cycle(cycle)), PY_CYCLE)


def may_stand(group: Group) -> bool:
    """Tell whether a group can be worth a word although it does not grow."""
    return any(kind.may_stand and kind.fits(group) for kind in all_kinds())
