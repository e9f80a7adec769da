"""Calls that compute derivatives inside one another, and which of their results have a history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from garboard._contexts.blocks import block
from garboard._contexts.grad_mode import inference_mode
from garboard._engine import Tensor, is_grad_enabled
from garboard.autograd._function_ctx import current_level as _current
from garboard.autograd._leaves import AccumulateGrad
from garboard.func._batching.tensor import revealed

__all__ = ["Level", "level"]


class Level:
    """A call that computes derivatives.

    Attributes:
        is_nested: Whether a call outside of this one records too.
        is_recorded: Whether what is outside of this call records.
        leaves: Stand-ins that this call and those around and inside of it have made.
    """

    def __init__(self, outer: Level | None) -> None:
        self.is_nested = outer is not None
        self.is_recorded = is_grad_enabled()
        self.leaves: list[Tensor] = [] if outer is None else outer.leaves

    def has_history(self, tensor: Tensor) -> bool:
        """Whether a tensor comes of one that requires grad outside of all calls, or of a call
        outside of this one."""
        if not self.is_recorded or not tensor.requires_grad:
            return False
        if self.is_nested:
            return True
        tensor = revealed(tensor)
        ours = {id(it) for it in self.leaves}
        if tensor.grad_fn is None:
            return id(tensor) not in ours
        seen: set[Any] = {tensor.grad_fn}
        waiting: list[Any] = [tensor.grad_fn]
        while waiting:
            for node, _ in waiting.pop().next_functions:
                if node is None:
                    continue
                if type(node) is AccumulateGrad:
                    if id(node.variable) not in ours:
                        return True
                    continue
                count = len(seen)  # a hash is most of the way: one a node
                seen.add(node)
                if len(seen) > count:
                    waiting.append(node)
        return False


@block
def level() -> Iterator[Level]:
    """Open a level inside the current one, and record."""
    outer = _current.get()
    entered = Level(outer)
    try:
        _current.set(entered)
        with inference_mode(False):
            yield entered
    finally:
        _current.set(outer)
