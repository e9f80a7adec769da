"""The hooks of modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard._hooks import RemovableHandle

__all__ = ["HookTable", "KwargsHook", "pair_of"]


class HookTable:
    """The hooks of one kind of one module, in the order in which they run."""

    __slots__ = ("__weakref__", "_hooks", "_next")

    def __init__(self) -> None:
        self._hooks: dict[int, Callable[..., Any]] = {}
        self._next = 0

    def add(self, hook: Callable[..., Any], is_first: bool = False) -> RemovableHandle:
        self._hooks[self._next] = hook
        if is_first:
            self._hooks = {self._next: hook, **self._hooks}
        self._next += 1
        return RemovableHandle(self, self._next - 1)

    def remove(self, number: int) -> None:
        self._hooks.pop(number, None)

    def __copy__(self) -> HookTable:
        copied = HookTable()
        copied._hooks, copied._next = dict(self._hooks), self._next
        return copied

    def __len__(self) -> int:
        return len(self._hooks)

    def snapshot(self) -> tuple[Callable[..., Any], ...]:
        """Return the hooks now: one that removes itself while it runs disturbs no other."""
        return tuple(self._hooks.values())


class KwargsHook:
    """A hook that takes named arguments too, or is called where forward raises."""

    def __init__(
        self,
        hook: Callable[..., Any],
        takes_kwargs: bool = True,
        is_always_called: bool = False,
    ) -> None:
        self.hook = hook
        self.takes_kwargs, self.is_always_called = takes_kwargs, is_always_called

    def after(self, module: Any, args: Any, kwargs: Any, output: Any) -> Any:
        """Call a hook of what forward has returned."""
        if self.takes_kwargs:
            return self.hook(module, args, kwargs, output)
        return self.hook(module, args, output)

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


def pair_of(name: str, changed: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a pre-hook with named arguments returns.

    Raises:
        TypeError: It is no pair of a tuple and a dict.
    """
    if (
        isinstance(changed, tuple)
        and len(changed) == 2
        and isinstance(changed[0], tuple)
        and isinstance(changed[1], dict)
    ):
        return changed
    raise TypeError(
        f"{name}: a forward pre-hook with kwargs returned what is of type "
        f"{type(changed).__name__}; None, or a tuple of args and a dict of kwargs, is needed"
    )
