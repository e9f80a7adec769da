"""Where a tensor stands in a graph: its node, and which of the node's results it is."""

from __future__ import annotations

from typing import Any, NamedTuple

from garboard._arguments import check
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import GradientError, GraphNode, Tensor

__all__ = ["GradientEdge", "get_gradient_edge", "tensor_of_edge"]


class GradientEdge(NamedTuple):
    """What `get_gradient_edge` returns. `autograd.grad` and `backward` take it for the tensor."""

    node: GraphNode
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return where a tensor stands in its graph.

    Args:
        tensor: One that requires grad.

    Returns:
        A GradientEdge. It keeps the tensor, too.

    Raises:
        GradientError: The tensor requires no grad.
        TypeError: It is no Tensor.
        DisposedError: It is disposed.

    >>> x = gb.ones(2, requires_grad=True)
    >>> edge = gb.autograd.graph.get_gradient_edge(x * 2)
    >>> edge.node.name(), edge.output_nr
    ('mul', 0)
    """
    if not check.tensor("get_gradient_edge", "tensor", tensor).requires_grad:
        raise GradientError(
            "get_gradient_edge: a tensor that requires no grad; one that does is needed"
        )
    node: Any = tensor.grad_fn
    if node is None:  # of a leaf it is what adds to its gradient
        with enable_grad():
            after: Any = tensor.view_as(tensor).grad_fn
        node = after.next_functions[0][0]
    return GradientEdge(node, tensor.output_nr, tensor)


def tensor_of_edge(given: Any) -> Any:
    """Return the tensor of an edge that `get_gradient_edge` made, and what is no edge as it is."""
    if isinstance(given, GradientEdge) and isinstance(given.ownership_token, Tensor):
        return given.ownership_token
    return given
