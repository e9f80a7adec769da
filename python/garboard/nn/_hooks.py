"""The hooks of modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard._hooks import RemovableHandle

__all__ = ["HookTable"]


class HookTable:
    """The hooks of one kind of one module, in the order in which they run."""

    __slots__ = ("__weakref__", "_hooks", "_next")

    def __init__(self) -> None:
        self._hooks: dict[int, Callable[..., Any]] = {}
        self._next = 0

    def add(self, hook: Callable[..., Any]) -> RemovableHandle:
        self._hooks[self._next] = hook
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
