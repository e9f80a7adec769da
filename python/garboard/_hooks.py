"""Hooks of tensors, modules and graph nodes, and the handle that takes one off again."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol, Self
from weakref import WeakKeyDictionary, ref

from garboard import _engine

__all__ = ["HookTable", "RemovableHandle", "hook_tables", "registered_hooks"]

# For the leak watcher: the line and step of each registration, by table and number.
_births: WeakKeyDictionary[Any, dict[int, tuple[int, int]]] = WeakKeyDictionary()


class _Hooks(Protocol):
    def remove(self, number: int, /) -> object: ...


class RemovableHandle:
    """Takes a hook off: by `remove()`, or at the end of a `with` block.

    It keeps neither the hook alive nor what the hook is on. A tensor's works while a graph alone
    holds the tensor.

    Args:
        hooks: The table that the hook is in; held weakly.
        number: The hook's number there.

    >>> layer = gb.nn.ReLU()
    >>> with layer.register_forward_hook(lambda module, args, output: output * 10):
    ...     layer(gb.ones(1))
    tensor([10.])
    >>> layer(gb.ones(1))
    tensor([1.])
    """

    def __init__(self, hooks: _Hooks, number: int) -> None:
        self._hooks = ref(hooks)
        self._number = number
        _births.setdefault(hooks, {})[number] = _engine._birth_now()

    def remove(self) -> None:
        """Forget the hook. Idempotent.

        >>> layer = gb.nn.ReLU()
        >>> handle = layer.register_forward_hook(lambda module, args, output: output * 10)
        >>> handle.remove()
        >>> layer(gb.ones(1))
        tensor([1.])
        """
        hooks = self._hooks()
        if hooks is not None:
            hooks.remove(self._number)
            _births.get(hooks, {}).pop(self._number, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()


class HookTable:
    """The hooks of one kind of one module or node, in the order in which they run."""

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


def hook_tables() -> list[tuple[object, dict[int, tuple[int, int]]]]:
    """Return each table, with the line and step in which each of its hooks was registered."""
    return list(_births.items())


def registered_hooks() -> list[tuple[int, int]]:
    """Return the line and step of each hook that is registered now."""
    return [birth for births in list(_births.values()) for birth in births.values()]
