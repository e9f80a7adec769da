"""Hooks of tensors, modules and graph nodes, and the handle that takes one off again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from types import TracebackType
from typing import Any, NoReturn, Protocol, Self
from weakref import WeakKeyDictionary, ref

from garboard import _engine

__all__ = [
    "NO_HOOKS",
    "HookTable",
    "NoHooks",
    "RemovableHandle",
    "hook_tables",
    "registered_hooks",
]

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

    Raises:
        TypeError: `number` is no integer, or `hooks` cannot be held weakly.

    >>> layer = gb.nn.ReLU()
    >>> with layer.register_forward_hook(lambda module, args, output: output * 10):
    ...     layer(gb.ones(1))
    tensor([10.])
    >>> layer(gb.ones(1))
    tensor([1.])
    """

    def __init__(self, hooks: _Hooks, number: int) -> None:
        self._hooks = ref(hooks)
        self._number = index(number)  # what else it could be might keep the table alive
        _births.setdefault(hooks, {})[self._number] = _engine._birth_now()

    @property
    def id(self) -> int:
        """The hook's number in its table.

        >>> layer = gb.nn.ReLU()
        >>> handle = layer.register_forward_hook(lambda module, args, output: None)
        >>> handle.id in layer._forward_hooks
        True
        """
        return self._number

    def __reduce__(self) -> tuple[Any, ...]:
        """Be copied and pickled with the table, as a part of the module that it is of."""
        table = self._hooks()
        return RemovableHandle, (HookTable() if table is None else table, self._number)

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


class HookTable(dict[int, Callable[..., Any]]):
    """The hooks of one kind of one module or node, in the order in which they run.

    A dict by number, for programs of PyTorch's look into a module's tables and clear them; but each
    is a thing of its own, which equals no other.
    """

    __slots__ = ("__weakref__", "_next")

    def __init__(self, hooks: Mapping[int, Callable[..., Any]] | None = None) -> None:
        super().__init__(hooks or {})
        self._next = max((it for it in self if isinstance(it, int)), default=-1) + 1

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__
    __ne__ = object.__ne__

    def add(self, hook: Callable[..., Any], is_first: bool = False) -> RemovableHandle:
        while self._next in self:  # put there by hand
            self._next += 1
        others = dict(self) if is_first else {}
        if is_first:
            self.clear()
        self[self._next] = hook
        self.update(others)
        self._next += 1
        return RemovableHandle(self, self._next - 1)

    def remove(self, number: int) -> None:
        self.pop(number, None)

    def __copy__(self) -> HookTable:
        copied = HookTable(self)
        copied._next = self._next
        return copied

    def snapshot(self) -> tuple[Callable[..., Any], ...]:
        """Return the hooks now: one that removes itself while it runs disturbs no other."""
        return tuple(self.values())


class NoHooks(HookTable):
    """The table of all who have no hooks of a kind, in which none can be put."""

    __slots__ = ()

    def _refuse(self, *given: object, **named: object) -> NoReturn:
        raise TypeError(
            "a table of hooks: one put in by hand; use the module's register_...() methods"
        )

    __setitem__ = setdefault = update = __ior__ = _refuse


NO_HOOKS = NoHooks()


def hook_tables() -> list[tuple[object, dict[int, tuple[int, int]]]]:
    """Return each table, with the line and step in which each of its hooks was registered."""
    return list(_births.items()) if len(_births) else []  # of no table the answer is quick


def registered_hooks() -> list[tuple[int, int]]:
    """Return the line and step of each hook that is registered now."""
    return [birth for births in list(_births.values()) for birth in births.values()]
