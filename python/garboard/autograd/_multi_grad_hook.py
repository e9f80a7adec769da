"""A hook that waits for the gradients of several tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NoReturn

from garboard import _engine
from garboard._arguments.check import choice, function, tensor
from garboard._engine import Tensor
from garboard._hooks import RemovableHandle

__all__ = ["register_multi_grad_hook"]

_Gradients = list[Tensor | None]


def register_multi_grad_hook(
    tensors: Sequence[Tensor],
    fn: Callable[[Any], object],
    *,
    mode: Literal["all", "any"] = "all",
) -> RemovableHandle:
    """Call a function once in each backward pass, with the gradients of several tensors.

    Those of tensors that the pass does not reach are not waited for. What the pass has brought of
    them lives as long as it does, also where it ends by an error.

    Args:
        tensors: Any number that require grad, leaves or not.
        fn: What is called; what it returns is ignored.
        mode: "all" calls it when the last gradient has come, with a list: one each, in the order of
            `tensors`, None of what the pass does not reach. "any" calls it with the first gradient
            that comes.

    Returns:
        A handle, whose `remove()` takes the hook off again; or the end of a `with` block.

    Raises:
        GradientError: A tensor does not require grad.
        TypeError: No tensors, or what cannot be called.

    >>> x, y = gb.ones(2, requires_grad=True), gb.ones(2, requires_grad=True)
    >>> def show(gradients):
    ...     print([gradient.tolist() for gradient in gradients])
    >>> hook = gb.autograd.graph.register_multi_grad_hook([x, y], show)
    >>> (x * 2 + y * 3).sum().backward()
    [[2.0, 2.0], [3.0, 3.0]]
    """
    op = "register_multi_grad_hook"
    choice(op, "mode", mode, "all", "any")
    function(op, "fn", fn)
    given = [tensor(op, "tensors", each) for each in tensors]
    group = _Group(fn) if mode == "all" else _First(fn)
    handles: list[RemovableHandle] = []
    try:
        handles.extend(
            each.register_hook(partial(group, place)) for place, each in enumerate(given)
        )
    except BaseException:
        for handle in handles:
            handle.remove()
        raise
    group.tables = [handle._hooks for handle in handles]
    return _Handles(handles)


class _First:
    """Calls a function with the first gradient of a pass."""

    def __init__(self, fn: Callable[[Any], object]) -> None:
        self.fn = fn
        self.tables: list[Callable[[], Any]] = []  # weak references

    def __call__(self, place: int, gradient: Tensor) -> None:
        notes = _engine._walk_notes()
        if self not in notes:
            notes[self] = None
            self.fn(gradient)


class _Group(_First):
    """Calls a function with all gradients of a pass."""

    def __call__(self, place: int, gradient: Tensor) -> None:
        notes = _engine._walk_notes()
        if self not in notes:
            awaited = _engine._count_in_walk([table() for table in self.tables])
            nothing: _Gradients = [None] * len(self.tables)
            notes[self] = [awaited, nothing]
        notes[self][0] -= 1
        gradients = notes[self][1]
        gradients[place] = gradient
        if notes[self][0] == 0:
            notes[self] = [0, []]
            self.fn(gradients)


class _Handles(RemovableHandle):
    """Of several hooks that are one."""

    def __init__(self, handles: list[RemovableHandle]) -> None:
        self._handles = handles

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "register_multi_grad_hook: its handle cannot be pickled, and is not copied; the hooks "
            "are of tensors in this process"
        )

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
