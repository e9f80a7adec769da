"""Objects that keep what no tensor of Python's leads to: nodes of graphs, optimizers, gradients.

A kept `grad_fn` keeps its graph, and an optimizer its state, with nothing in the registry that says
so. They are looked up only where something grows that tensors do not explain: it takes a look at
every object there is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from garboard import _engine
from garboard._arguments.nests import tensors_in
from garboard._engine import GraphNode
from garboard.leaks.evidence._classes import loaded_class
from garboard.leaks.evidence._rows import Node, Survivor, Unheld

__all__ = ["carriers", "row_of"]


def carriers(nodes: dict[int, Node], storages: dict[int, Unheld]) -> list[Survivor]:
    """Return a row for each object that carries some of the nodes or storages on.

    What optimizers and gradients carry is taken out of `storages`.
    """
    return [*_graph_nodes(nodes), *_optimizers(storages), *_gradients(storages)]


def row_of(thing: Any, what: str, birth: Node | Unheld, nbytes: int, node: int = 0) -> Survivor:
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


def _graph_nodes(nodes: dict[int, Node]) -> list[Survivor]:
    """`y.grad_fn`: not tracked by the collector, so they are found as what others refer to."""
    found: dict[int, Any] = {}
    if nodes:
        for thing in _engine._referred(GraphNode):
            found[thing.serial] = thing
    return [
        row_of(thing, "node", nodes[serial], 0, serial)
        for serial, thing in sorted(found.items())
        if serial in nodes
    ]


def _optimizers(storages: dict[int, Unheld]) -> list[Survivor]:
    kind: Any = loaded_class("garboard.optim", "Optimizer")
    if kind is None or not storages:
        return []
    owners: dict[int, Any] = {}
    states = []
    for optimizer in _engine._instances([kind]):
        states.append(list(tensors_in(list(optimizer.state.values()))))  # aliases, made to be asked
        owners.update((id(it), optimizer) for it in states[-1])
    found: dict[int, Survivor] = {}
    for row in _engine._aliases(storages=list(storages)):
        optimizer = owners.get(id(row["tensor"]))
        part = storages.pop(row["storage"], None) if optimizer is not None else None
        if part is None:
            continue
        if id(optimizer) not in found:
            found[id(optimizer)] = row_of(optimizer, "storage", part, 0)
        found[id(optimizer)].nbytes += part.nbytes
    return list(found.values())


def _gradients(storages: dict[int, Unheld]) -> list[Survivor]:
    """Gradients that are no tensor's any more, and state that is no optimizer's: somebody has kept
    them."""
    found = []
    for row in _engine._aliases(storages=list(storages)) if storages else ():
        if row["owner"] not in ("GRAD", "OPTIMIZER"):
            continue
        part = storages.pop(row["storage"], None)
        if part is not None:
            kept = row_of(row["tensor"], "storage", part, part.nbytes)
            found.append(replace(kept, shape=row["shape"], storage=row["storage"]))
    return found
