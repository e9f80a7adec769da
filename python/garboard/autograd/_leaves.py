"""Where a graph ends: at leaves, whose gradients are added up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard._arguments import check
from garboard._engine import Tensor
from garboard._hooks import RemovableHandle

__all__ = ["AccumulateGrad"]


class AccumulateGrad:
    """What `next_functions` names for a leaf: backward adds the gradient to its `grad`.

    Attributes:
        variable: The leaf.
        next_functions: Empty.

    >>> x = gb.ones(2, requires_grad=True)
    >>> if (node := (x + 1).grad_fn) is not None:
    ...     node.next_functions[0]
    (<AccumulateGrad of [2]>, 0)
    """

    __slots__ = ("variable",)
    variable: Tensor
    next_functions: tuple[()] = ()

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable

    def name(self) -> str:
        """Return 'AccumulateGrad'."""
        return "AccumulateGrad"

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call a function when a backward pass has added to the leaf's `grad`.

        Args:
            hook: Called with two tuples, an empty one and one of `grad`; what it returns is
                ignored.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: The hook cannot be called.
        """
        check.function("register_hook", "hook", hook)

        def call(leaf: Tensor) -> None:
            hook((), (leaf.grad,))

        return self.variable.register_post_accumulate_grad_hook(call)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call a function before a backward pass adds to the leaf's `grad`.

        Args:
            hook: Called with a tuple of the gradient; what it returns, unless None, is a tuple of
                another in its place.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: The hook cannot be called, or returns something else.
        """
        check.function("register_prehook", "hook", hook)

        def call(gradient: Tensor) -> Tensor | None:
            made = hook((gradient,))
            if made is None:
                return None
            if not isinstance(made, tuple) or len(made) != 1:
                raise TypeError(
                    f"register_prehook: a hook returned what is of type {type(made).__name__}; "
                    "None, or a tuple of one gradient, is needed"
                )
            return check.tensor("register_prehook", "what a hook returned", made[0])

        return self.variable.register_hook(call)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccumulateGrad) and other.variable is self.variable

    def __hash__(self) -> int:
        return hash((AccumulateGrad, id(self.variable)))

    def __repr__(self) -> str:
        return f"<AccumulateGrad of {list(self.variable.shape)}>"
