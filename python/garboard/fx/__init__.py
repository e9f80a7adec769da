"""Programs as graphs: traced, read, changed, and run as the code that is written of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard.fx import immutable_collections as immutable_collections
from garboard.fx._symbolic_trace import PH, Tracer, symbolic_trace, wrap
from garboard.fx.graph import CodeGen, Graph, PythonCode
from garboard.fx.graph_module import GraphModule
from garboard.fx.interpreter import Interpreter, Transformer
from garboard.fx.node import Node, has_side_effect, map_arg
from garboard.fx.proxy import Proxy, TraceError
from garboard.fx.subgraph_rewriter import replace_pattern

__all__ = [
    "PH",
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "PythonCode",
    "TraceError",
    "Tracer",
    "Transformer",
    "has_side_effect",
    "map_arg",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]

if TYPE_CHECKING:
    from garboard.fx import experimental as experimental
    from garboard.fx import node as node
    from garboard.fx import operator_schemas as operator_schemas
    from garboard.fx import passes as passes
    from garboard.fx import proxy as proxy
else:
    __getattr__ = module_getattr(__name__, ("experimental", "operator_schemas", "passes"))
