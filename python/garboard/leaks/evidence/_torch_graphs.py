"""PyTorch's graphs, found by walking from tensors: nodes have no registry there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from garboard.leaks.evidence._rows import Node
from garboard.leaks.evidence._torch_itself import torch

__all__ = ["MOST_NODES", "contexts", "serial_of", "walked"]

MOST_NODES = 50_000  # that one walk meets; each takes about a microsecond
_LEAF = "torch::autograd::AccumulateGrad"

_saved_names: dict[str, tuple[str, ...]] = {}


def serial_of(node: Any) -> int:
    """Return a node's place in the order of recording, from 1."""
    return int(node._sequence_nr()) + 1


def _walk(heads: Iterable[Any], since: int) -> Iterator[tuple[Any, list[Any]]]:
    """Yield the nodes that some nodes lead to, with those behind each; none older than `since`."""
    open_ = [node for node in heads if node is not None and serial_of(node) >= since]
    seen: set[Any] = set()  # holds them: an address of a node is used again
    while open_ and len(seen) < MOST_NODES:
        node = open_.pop()
        if node in seen or node.name() == _LEAF:
            continue
        seen.add(node)
        behind = [it for it, _ in node.next_functions if it is not None]
        yield node, behind
        open_ += [it for it in behind if it.name() == _LEAF or serial_of(it) >= since]


def contexts(heads: Iterable[Any]) -> list[object]:
    """Return the nodes that are a Function's `ctx`."""
    return [node for node, _ in _walk(heads, 0) if isinstance(node, torch._C._FunctionBase)]


def walked(
    heads: Iterable[Any], since: int, sites: dict[int, int], passes: dict[int, bool]
) -> list[Node]:
    """Return the graph behind some nodes as rows, oldest first.

    Args:
        heads: Nodes.
        since: The first serial.
        sites: Lines of nodes, by serial.
        passes: Roots of backward passes, by serial: was the graph to be kept?
    """
    found: dict[int, Node] = {}
    for node, behind in _walk(heads, since):
        serial = serial_of(node)
        saved, is_released = _saved(node)
        leaves = [it.variable for it in behind if it.name() == _LEAF]
        found[serial] = Node(
            serial=serial,
            site=sites.get(serial, 0),
            step=serial - 1,  # the caller knows the steps
            name=_name(node),
            is_released=is_released,
            was_retained=False,
            was_walked=is_released or serial in passes,
            saved_bytes=sum(it.untyped_storage().nbytes() for it in saved),
            saved_storages=[it.untyped_storage().data_ptr() for it in [*saved, *leaves]],
            next=[serial_of(it) for it in behind if it.name() != _LEAF],
        )
    _mark_kept(found, passes)
    return [found[serial] for serial in sorted(found)]


def _mark_kept(found: dict[int, Node], passes: dict[int, bool]) -> None:
    open_ = [serial for serial in found if passes.get(serial)]
    while open_:
        node = found.get(open_.pop())
        if node is not None and not node.was_retained:
            node.was_retained = node.was_walked = True
            open_ += node.next


def _saved(node: Any) -> tuple[list[Any], bool]:
    """Return what a node has saved, and whether a backward pass has let go of it."""
    kind = type(node).__name__
    names = _saved_names.get(kind)
    if names is None:
        raw = (name for name in dir(node) if name.startswith("_raw_saved_"))
        names = _saved_names[kind] = tuple(name.removeprefix("_raw") for name in raw)
    found: list[Any] = []
    try:
        for name in names:
            kept = getattr(node, f"_raw{name}")
            for part in kept if isinstance(kept, list | tuple) else (kept,):
                if getattr(part, "unpack_hook", None) is not None:  # code of the program's
                    return [], False
            value = getattr(node, "saved_tensors" if name == "_saved_tensors" else name)
            found += value if isinstance(value, list | tuple) else [value]
    except RuntimeError:  # they have been freed
        return [], True
    return [it for it in found if isinstance(it, torch.Tensor)], False


_CALLED = re.compile(r"Backward\d*$")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _name(node: Any) -> str:
    """Return `add` for `AddBackward0`; a Function's own name as it is."""
    name = _CALLED.sub("", node.name())
    return name if isinstance(node, torch._C._FunctionBase) else _HUMP.sub("_", name).lower()
