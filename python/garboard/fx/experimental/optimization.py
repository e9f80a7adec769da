"""Modules made cheaper: norms that follow convolutions become part of them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from garboard._arguments import check
from garboard.fx._symbolic_trace import Tracer, symbolic_trace
from garboard.fx.graph_module import GraphModule
from garboard.fx.node import Node
from garboard.nn.dropout import Dropout
from garboard.nn.module import Module
from garboard.nn.utils.fusion import fuse_conv_bn_eval

__all__ = ["fuse", "remove_dropout"]

_PAIRS = {"Conv1d": "BatchNorm1d", "Conv2d": "BatchNorm2d", "Conv3d": "BatchNorm3d"}


def fuse(model: Module, inplace: bool = False, no_trace: bool = False) -> GraphModule:
    """Return a model whose batch norms are part of the convolutions before them.

    Args:
        model: A model in `eval` mode.
        inplace: Whether parameters of the model may be used, and not copies.
        no_trace: Whether the model is a GraphModule already.

    Returns:
        A GraphModule.

    Raises:
        TraceError: The model cannot be traced.
        TypeError: The model is no Module; `no_trace` is true and it is no GraphModule.
        ValueError: A norm that would be fused is in training mode.

    >>> from garboard.fx.experimental.optimization import fuse
    >>> model = gb.nn.Sequential(gb.nn.Conv2d(1, 2, 1), gb.nn.BatchNorm2d(2)).eval()
    >>> [node.op for node in fuse(model).graph.nodes]
    ['placeholder', 'call_module', 'output']
    """
    check.of_type(Module, "fuse", "model", model)
    if not inplace:
        model = deepcopy(model)
    if no_trace and not isinstance(model, GraphModule):
        raise TypeError(f"fuse: no_trace is true and the model is a {type(model).__name__}; a "
                        "GraphModule is needed")  # fmt: skip
    traced: Any = model if no_trace else symbolic_trace(model)
    modules = dict(traced.named_modules())
    for norm_node in traced.graph.nodes:
        conv_node = norm_node.args[0] if norm_node.args else None
        if norm_node.op != "call_module" or not isinstance(conv_node, Node):
            continue
        norm = modules[norm_node.target]
        conv = modules.get(conv_node.target) if conv_node.op == "call_module" else None
        pair = _PAIRS.get(type(conv).__name__)
        if pair is None or type(norm).__name__ != pair or len(conv_node.users) > 1:
            continue
        calls = (it.target for it in traced.graph.find_nodes(op="call_module"))
        if sum(it in (conv_node.target, norm_node.target) for it in calls) > 2:
            continue  # one of them serves elsewhere, too
        if norm.training or not norm.track_running_stats:
            raise ValueError(f"fuse: {norm_node.target} is in training mode; call model.eval()")
        assert conv is not None
        fused: Module = fuse_conv_bn_eval(conv, norm)
        traced.add_submodule(conv_node.target, fused)
        modules[conv_node.target] = fused
        norm_node.replace_all_uses_with(conv_node)
        traced.graph.erase_node(norm_node)
    traced.delete_all_unused_submodules()
    traced.recompile()
    found: GraphModule = traced
    return found


def remove_dropout(model: Module) -> GraphModule:
    """Return a model without its dropouts.

    Args:
        model: The model.

    Returns:
        A GraphModule.

    Raises:
        TraceError: The model cannot be traced.

    >>> from garboard.fx.experimental.optimization import remove_dropout
    >>> model = gb.nn.Sequential(gb.nn.ReLU(), gb.nn.Dropout())
    >>> [node.target for node in remove_dropout(model).graph.nodes]
    ['input', '0', 'output']
    """
    tracer = Tracer()
    graph = tracer.trace(model)
    modules = dict(tracer.root.named_modules())
    for node in graph.nodes:
        if node.op == "call_module" and isinstance(modules[str(node.target)], Dropout):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    return GraphModule(tracer.root, graph)
