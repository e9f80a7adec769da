"""Objects that keep what no tensor of Python's leads to: nodes of graphs, optimizers, gradients.

A kept `grad_fn` keeps its graph, and an optimizer its state, with nothing in the registry that says
so. They are looked up only where something grows that tensors do not explain: it takes a look at
every object there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments.nests import tensors_in
from garboard._engine import GraphNode, Tensor, _GraphTable
from garboard._shown.site import line_of
from garboard.leaks.evidence._classes import loaded_class
from garboard.leaks.evidence._rows import Carried, Survivor, Unheld

if TYPE_CHECKING:
    from garboard._engine import _Alias

__all__ = ["carriers", "row_of"]


_MOST_ROWS = 4096  # of nodes; each stands for some others


def carriers(graphs: _GraphTable) -> Carried:
    """Return rows of nodes, optimizers and gradients that carry on what no tensor leads to."""
    found = Carried([], [], [])
    if graphs.unexplained([], [])[0]:
        _add_graph_nodes(found, graphs)
    if unheld := graphs.unheld():
        owners = _owners()
        aliases = _engine._aliases(storages=unheld)
        asked = [row["storage"] for row in aliases]
        births = {row[0]: Unheld(*row) for row in graphs.unheld_among(asked)}
        _add_optimizers(found, aliases, births, owners)
        _add_gradients(found, aliases, births)
    return found


def row_of(thing: Any, what: str, birth: Unheld, nbytes: int, node: int = 0) -> Survivor:
    return Survivor(
        tensor=thing,
        serial=birth.serial,
        site=birth.site,
        step=birth.step,
        what=what,
        scope=None,
        shape=(0,),
        dtype="",
        device="",
        nbytes=nbytes,
        requires_grad=False,
        is_view=False,
        storage=0,
        node=node,
    )


def _add_graph_nodes(found: Carried, graphs: _GraphTable) -> None:
    """`y.grad_fn`: not tracked by the collector, so they are found as what others refer to."""
    things = {thing.serial: thing for thing in _engine._referred(GraphNode)}
    rows = graphs.headless(sorted(things))
    found.nodes.extend(row[0] for row in rows)
    apart = -(-len(rows) // _MOST_ROWS) or 1
    for serial, site, step, _ in rows[apart - 1 :: apart]:
        birth = Unheld(serial, line_of(site), step, 0)
        found.rows.append(row_of(things[serial], "node", birth, 0, serial))
        found.rows[-1].weight = apart


def _owners() -> dict[int, tuple[Tensor, Any]]:
    """Return each tensor that is an optimizer's state, which is made by being asked for, with what
    carries it: the optimizer, or itself where a list in the state has it. What the library's own
    optimizers have in lists they bound themselves, too."""
    kind: Any = loaded_class("garboard.optim", "Optimizer")
    found: dict[int, tuple[Tensor, Any]] = {}
    for optimizer in _engine._instances([kind]) if kind is not None else ():
        is_ours = type(optimizer).__module__.startswith("garboard.")
        for state in optimizer.state.values():
            values = list(state.values()) if isinstance(state, Mapping) else [state]
            for value in values:
                for tensor in tensors_in(value):
                    found[id(tensor)] = tensor, optimizer if is_ours or tensor is value else tensor
    return found


def _add_optimizers(
    found: Carried,
    aliases: list[_Alias],
    births: dict[int, Unheld],
    owners: dict[int, tuple[Tensor, Any]],
) -> None:
    rows: dict[int, Survivor] = {}
    for row in aliases:
        _, carrier = owners.get(id(row["tensor"]), (None, None))
        part = births.pop(row["storage"], None) if carrier is not None else None
        if part is None:
            continue
        if id(carrier) not in rows:
            first = row_of(carrier, "storage", _lined(part), 0)
            is_itself = carrier is row["tensor"]
            rows[id(carrier)] = replace(first, shape=row["shape"]) if is_itself else first
        rows[id(carrier)].nbytes += part.nbytes
        found.storages.append(part.serial)
    found.rows.extend(rows.values())


def _add_gradients(found: Carried, aliases: list[_Alias], births: dict[int, Unheld]) -> None:
    """Gradients that are no tensor's any more, and state that is no optimizer's: somebody has kept
    them."""
    for row in aliases:
        if row["owner"] not in ("GRAD", "OPTIMIZER"):
            continue
        part = births.pop(row["storage"], None)
        if part is not None:
            kept = row_of(row["tensor"], "storage", _lined(part), part.nbytes)
            found.rows.append(replace(kept, shape=row["shape"], storage=row["storage"]))
            found.storages.append(part.serial)


def _lined(birth: Unheld) -> Unheld:
    return replace(birth, site=line_of(birth.site))
