"""Hooks that a backward pass calls where it comes to a module and where it leaves it.

What goes into a call and what comes out of it passes a node each, whose gradients are the hooks'.
Those of the older kind are hooks of a node that is there anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from warnings import warn

from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._engine import Tensor, is_grad_enabled
from garboard.autograd.function import Function

__all__ = ["BackwardCall", "watch_last_op"]

_Gradients = tuple[Any, ...]
_Hook = Callable[..., Any]


class _Passing(Function):
    """Passes tensors on; their gradients go through a function."""

    @staticmethod
    def forward(ctx: Any, through: Callable[[_Gradients], _Gradients], *tensors: Tensor) -> Any:
        ctx.set_materialize_grads(False)
        ctx.through = through
        return tuple([tensor.view(tensor.shape) for tensor in tensors])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return (None, *ctx.through(gradients))


class BackwardCall:
    """One call of a module, as a backward pass sees it."""

    def __init__(self, module: Any, before: tuple[_Hook, ...], after: tuple[_Hook, ...]) -> None:
        self._module, self._before, self._after = module, before, after
        self._inputs: list[int] = []  # which arguments ask for a gradient, of how many
        self._input_count = 0
        self._output_gradients: _Gradients | None = None  # before a pass comes, and once it left

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        if not is_grad_enabled():
            return args
        self._input_count = len(args)
        made, self._inputs = _passed(args, self._leave)
        return made

    def watch_outputs(self, output: Any) -> Any:
        if not is_grad_enabled():
            return output
        if not isinstance(output, (Tensor, tuple)):
            warn(
                f"{type(self._module).__name__}: a result of type {type(output).__name__}; for its "
                "backward hooks to be called a Tensor or a tuple of Tensors is needed",
                stacklevel=4,
            )
            return output
        given = output if isinstance(output, tuple) else (output,)
        made, places = _passed(given, lambda gradients: self._come(gradients, places, len(given)))
        if not places:
            return output
        if not isinstance(output, tuple):
            return made[0]
        return type(output)(*made) if hasattr(output, "_fields") else made

    def _come(self, gradients: _Gradients, places: list[int], count: int) -> _Gradients:
        all_of_them = _spread(gradients, places, count)
        for hook in self._before:
            changed = hook(self._module, all_of_them)
            if changed is not None:
                all_of_them = self._checked("register_full_backward_pre_hook", changed, count)
        self._output_gradients = all_of_them
        if not self._inputs:  # nothing below asks, so nothing leaves
            self._call_after((None,) * self._input_count)
        return tuple([all_of_them[place] for place in places])

    def _leave(self, gradients: _Gradients) -> _Gradients:
        if self._output_gradients is None:  # of a result that nobody watches
            return gradients
        made = self._call_after(_spread(gradients, self._inputs, self._input_count))
        return tuple([made[place] for place in self._inputs])

    def _call_after(self, gradients: _Gradients) -> _Gradients:
        for hook in self._after:
            changed = hook(self._module, gradients, self._output_gradients)
            if changed is not None:
                op = "register_full_backward_hook"
                if not self._inputs and changed != gradients:
                    raise RuntimeError(
                        f"{op}: a hook of {type(self._module).__name__} returned gradients where "
                        "no input requires grad; None is needed"
                    )
                gradients = self._checked(op, changed, self._input_count)
        self._output_gradients = None
        return gradients

    def _checked(self, op: str, changed: Any, count: int) -> _Gradients:
        made = changed if isinstance(changed, tuple) else (changed,)
        if len(made) != count:
            raise RuntimeError(
                f"{op}: a hook of {type(self._module).__name__} returned {len(made)} gradients; "
                f"None, or {shown(count)} of them, are needed"
            )
        if not all(it is None or is_really(it, Tensor) for it in made):
            raise TypeError(
                f"{op}: a hook of {type(self._module).__name__} returned what is of type "
                f"{type(changed).__name__}; None, or {shown(count)} gradients, are needed"
            )
        return made


def watch_last_op(module: Any, hooks: tuple[_Hook, ...], output: Any) -> None:
    """Let a pass call hooks when it leaves the op that made the first tensor of `output`."""
    first = output
    while isinstance(first, (tuple, list, dict)):
        inner = first.values() if isinstance(first, dict) else first
        first = next((it for it in inner if isinstance(it, (Tensor, tuple, list, dict))), None)
    if is_really(first, Tensor) and (node := first.grad_fn) is not None:
        for hook in hooks:
            node.register_hook(partial(hook, module))


def _spread(gradients: _Gradients, places: list[int], count: int) -> _Gradients:
    made: list[Any] = [None] * count
    for place, gradient in zip(places, gradients, strict=True):
        made[place] = gradient
    return tuple(made)


def _passed(
    given: tuple[Any, ...], through: Callable[[_Gradients], _Gradients]
) -> tuple[tuple[Any, ...], list[int]]:
    """The same, with those that ask for a gradient passed on; and which those are."""
    places = [i for i, it in enumerate(given) if is_really(it, Tensor) and it.requires_grad]
    if not places:
        return given, places
    made = list(given)
    passed = _Passing.apply(through, *[given[place] for place in places])
    for place, tensor in zip(places, passed, strict=True):
        made[place] = tensor
    return tuple(made), places
