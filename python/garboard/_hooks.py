"""Hooks of tensors, modules and graph nodes, and the handle that takes one off again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
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


# What handles of programs' own tables are called by: no two alike, whatever the table.
_numbers = count()


class _Hooks(Protocol):
    def remove(self, number: int, /) -> object: ...


_Table = dict[int, Any]


class RemovableHandle:
    """Takes a hook off: by `remove()`, or at the end of a `with` block.

    It keeps neither the hook alive nor what the hook is on. A tensor's works while a graph alone
    holds the tensor. Programs that have tables of their own make one and put the hook in by its
    `id`.

    Args:
        hooks: The table that the hook is in, or will be: one of ours, or a dict that can be held
            weakly, as an `OrderedDict`.
        number: The hook's number there; by default one that no other handle has.
        extra_dict: A table, or several, which say something of the same hook by its number; it is
            forgotten there, too.

    Raises:
        TypeError: `number` is no integer, or a table cannot be held weakly.

    >>> layer = gb.nn.ReLU()
    >>> with layer.register_forward_hook(lambda module, args, output: output * 10):
    ...     layer(gb.ones(1))
    tensor([10.])
    >>> layer(gb.ones(1))
    tensor([1.])
    """

    def __init__(
        self,
        hooks: _Hooks | _Table,
        number: int | None = None,
        *,
        extra_dict: _Table | list[_Table] | tuple[_Table, ...] | None = None,
    ) -> None:
        self._hooks = ref(hooks)
        extra = extra_dict if isinstance(extra_dict, list | tuple) else (extra_dict,)
        self._extra = tuple(ref(table) for table in extra if table is not None)
        # What else a number could be might keep the table alive.
        self._number = next(_numbers) if number is None else index(number)
        if _is_ours(hooks):
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
        if isinstance(hooks, HookTable) or not isinstance(hooks, dict | None):
            hooks.remove(self._number)  # ours may do more than forget it
            _births.get(hooks, {}).pop(self._number, None)
        elif hooks is not None:
            hooks.pop(self._number, None)
        for weak in self._extra:
            if (table := weak()) is not None:
                table.pop(self._number, None)

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


def _is_ours(hooks: object) -> bool:
    """Tell whether the watcher looks into a table: a program's own it does not know."""
    return isinstance(hooks, HookTable) or not isinstance(hooks, dict)


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
