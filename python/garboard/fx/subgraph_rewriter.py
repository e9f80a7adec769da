"""Patterns in graphs: every place where a module computes one is rewritten."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from garboard._arguments import check
from garboard.fx._symbolic_trace import symbolic_trace
from garboard.fx.graph import Graph
from garboard.fx.graph_module import GraphModule, _copy_attr
from garboard.fx.node import Argument, Node
from garboard.nn.module import Module

__all__ = ["Match", "replace_pattern"]


class Match(NamedTuple):
    """One place where a pattern was found.

    Attributes:
        anchor: The node whose result the pattern returns.
        nodes_map: By nodes of the pattern, those of the graph.
    """

    anchor: Node
    nodes_map: dict[Node, Node]


def replace_pattern(
    gm: GraphModule,
    pattern: Callable[..., object] | Module | Graph,
    replacement: Callable[..., object] | Module | Graph,
) -> list[Match]:
    """Have a module compute a replacement wherever it computes a pattern.

    Pattern and replacement are traced. An input of the pattern stands for any node; a node in
    between is found where nothing outside of the place uses it. Places do not overlap: of those
    that would, the first one is taken.

    Args:
        gm: The module, which is changed and recompiled.
        pattern: What is looked for: it returns one result.
        replacement: What stands there afterwards, with as many inputs.

    Returns:
        The places, as they were.

    Raises:
        TypeError: `gm` is no GraphModule.
        ValueError: The pattern is nothing but an input, or returns several results, or the
            replacement has another number of inputs.

    >>> traced = gb.fx.symbolic_trace(lambda x: gb.exp(x) + gb.exp(x))
    >>> found = gb.fx.replace_pattern(traced, lambda x: gb.exp(x), lambda x: gb.relu(x))
    >>> len(found), traced(gb.ones(1))
    (2, tensor([2.]))
    """
    check.of_type(GraphModule, "replace_pattern", "gm", gm)
    wanted, source = _graph_of(pattern)
    other, other_source = _graph_of(replacement)
    result = wanted.output_node().args[0]
    if not isinstance(result, Node) or result.op == "placeholder":
        raise ValueError("replace_pattern: the pattern returns no single result of a call; one is "
                         "needed")  # fmt: skip
    inputs, other_inputs = wanted.find_nodes(op="placeholder"), other.find_nodes(op="placeholder")
    if len(inputs) != len(other_inputs):
        raise ValueError(
            f"replace_pattern: the pattern has {len(inputs)} inputs and the replacement "
            f"{len(other_inputs)}; as many are needed"
        )
    found: list[Match] = []
    taken: set[Node] = set()
    for node in gm.graph.nodes:
        places: dict[Node, Node] = {}
        if not _matches(result, node, places) or not _is_whole(result, places):
            continue
        inner = {it for key, it in places.items() if key.op != "placeholder"}
        if inner & taken:
            continue
        taken |= inner
        found.append(Match(node, places))
    replaced: dict[Node, Node] = {}
    for anchor, places in found:
        seen = {}
        for mine, theirs in zip(inputs, other_inputs, strict=True):
            if mine in places:
                place = places[mine]
                while place in replaced:
                    place = replaced[place]
                seen[theirs] = place
        with gm.graph.inserting_before(anchor):
            new = gm.graph.graph_copy(other, seen)
        if not isinstance(new, Node):
            raise ValueError("replace_pattern: the replacement returns no single result")
        anchor.replace_all_uses_with(new)
        replaced[anchor] = new
        for key in reversed(wanted.nodes):
            if key in places and key.op != "placeholder" and not places[key].users:
                gm.graph.erase_node(places[key])
    for owner in (other_source, source):
        for node in gm.graph.nodes:
            is_path = node.op in ("get_attr", "call_module")
            if owner is not None and is_path and not _is_there(gm, str(node.target)):
                _copy_attr(owner, gm, str(node.target))
    gm.recompile()
    return found


def _is_there(module: Module, path: str) -> bool:
    found: object = module
    for part in path.split("."):
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def _graph_of(given: Callable[..., object] | Module | Graph) -> tuple[Graph, Module | None]:
    if isinstance(given, Graph):
        return given, given.owning_module
    traced = given if isinstance(given, GraphModule) else symbolic_trace(given)
    return traced.graph, traced


def _matches(wanted: Argument, node: Argument, places: dict[Node, Node]) -> bool:
    """Tell whether a node of the graph is one of the pattern, and note what stands for what."""
    if isinstance(wanted, Node):
        if not isinstance(node, Node):
            return False
        if wanted in places:
            return places[wanted] is node
        if wanted.op != "placeholder":
            if (wanted.op, wanted.target) != (node.op, node.target):
                return False
            same = _matches(wanted.args, node.args, places)
            if not same or not _matches(wanted.kwargs, node.kwargs, places):
                return False
        places[wanted] = node
        return True
    if isinstance(wanted, tuple | list):
        return (
            isinstance(node, type(wanted) if isinstance(wanted, tuple) else list)
            and len(wanted) == len(node)
            and all(_matches(a, b, places) for a, b in zip(wanted, node, strict=True))
        )
    if isinstance(wanted, dict):
        return (
            isinstance(node, dict)
            and wanted.keys() == node.keys()
            and all(_matches(it, node[name], places) for name, it in wanted.items())
        )
    return not isinstance(node, Node) and type(wanted) is type(node) and bool(wanted == node)


def _is_whole(result: Node, places: dict[Node, Node]) -> bool:
    """Tell whether nothing outside of a place uses what is computed in between."""
    inner = {it for key, it in places.items() if key.op != "placeholder"}
    return all(
        all(user in inner for user in it.users)
        for key, it in places.items()
        if key.op not in ("placeholder", "get_attr") and key is not result
    )
