"""Shapes and dtypes of all nodes, learned by running the module once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from garboard._engine import Tensor
from garboard.fx.interpreter import Interpreter
from garboard.fx.node import Node, map_aggregate

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What is known of a tensor without its elements.

    Attributes:
        shape: Its sizes.
        dtype: Its dtype.
        requires_grad: Whether a gradient is asked for.
        stride: Its strides, in elements.
        memory_format: None: how elements lie is told by the strides.
        is_quantized: False.
        qparams: Nothing.
    """

    shape: tuple[int, ...]
    dtype: DType
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: None
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    return TensorMetadata(
        result.shape, result.dtype, result.requires_grad, result.stride(), None, False, {}
    )


class ShapeProp(Interpreter):
    """An interpreter that writes `tensor_meta` and `type` into each node's `meta`.

    Args:
        gm: The module.

    >>> traced = gb.fx.symbolic_trace(gb.nn.Linear(2, 3))
    >>> result = gb.fx.passes.shape_prop.ShapeProp(traced).propagate(gb.ones(4, 2))
    >>> [tuple(node.meta["tensor_meta"].shape) for node in traced.graph.nodes]
    [(4, 2), (3, 2), (3,), (4, 3), (4, 3)]
    >>> shapes, node = gb.fx.passes.shape_prop.ShapeProp(traced), traced.graph.output_node()
    >>> shapes.env[node.args[0]] = result
    >>> shapes.run_node(node) is result
    True
    """

    def run_node(self, n: Node) -> Any:
        """Run one node and write down what came of it.

        Args:
            n: The node.

        Returns:
            Its result.
        """
        result = super().run_node(n)
        has_tensor = False

        def told(it: Any) -> Any:
            nonlocal has_tensor
            if isinstance(it, Tensor):
                has_tensor = True
                return _extract_tensor_metadata(it)
            return it

        meta = map_aggregate(result, told)
        if has_tensor:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the module and write down what comes of each node.

        Args:
            *args: What the placeholders get.

        Returns:
            What the module returns.
        """
        return self.run(*args)
