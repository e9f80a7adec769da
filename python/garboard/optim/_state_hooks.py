"""Hooks of optimizers around their state dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from garboard._arguments import check
from garboard._hooks import HookTable, RemovableHandle

__all__ = ["StateHooked"]


class StateHooked:
    """The part of an Optimizer that calls others while its state is saved and loaded."""

    _state_hooks: dict[str, HookTable] | None = None  # by the method that registers

    def _add_state_hook(
        self, kind: str, hook: Callable[..., object], prepend: bool
    ) -> RemovableHandle:
        op = f"{type(self).__name__}.{kind}"
        check.function(op, "hook", hook)
        is_first = check.flag(op, "prepend", prepend)
        if self._state_hooks is None:
            self._state_hooks = {}
        return self._state_hooks.setdefault(kind, HookTable()).add(hook, is_first)

    def _call_state_hooks(self, kind: str, *state: Any) -> Any:
        """Return the state that the hooks leave, if there is one."""
        table = (self._state_hooks or {}).get(f"register_{kind}_hook")
        for hook in table.snapshot() if table else ():
            changed = hook(self, *state)
            if state and changed is not None:
                state = (changed,)
        return state[0] if state else None

    def register_state_dict_pre_hook(
        self, hook: Callable[[Self], object], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` before the state is collected.

        Args:
            hook: What it returns is dropped.
            prepend: Call it before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: `hook` cannot be called.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)])
        >>> handle = optimizer.register_state_dict_pre_hook(lambda given: print("now"))
        >>> len(optimizer.state_dict())
        now
        2
        """
        return self._add_state_hook("register_state_dict_pre_hook", hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[[Self, dict[str, Any]], object], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` once the state is collected.

        Args:
            hook: What it returns, unless None, is returned instead of the dict.
            prepend: Call it before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: `hook` cannot be called.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)])
        >>> handle = optimizer.register_state_dict_post_hook(lambda _, state: {**state, "at": 3})
        >>> optimizer.state_dict()["at"]
        3
        """
        return self._add_state_hook("register_state_dict_post_hook", hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[[Self, dict[str, Any]], object], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before a state is loaded.

        Args:
            hook: It is given a copy of the dict, which it may change; what it returns, unless None,
                is loaded instead.
            prepend: Call it before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: `hook` cannot be called.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)])
        >>> handle = optimizer.register_load_state_dict_pre_hook(lambda _, state: state["saved"])
        >>> optimizer.load_state_dict({"saved": optimizer.state_dict()})
        """
        return self._add_state_hook("register_load_state_dict_pre_hook", hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Self], object], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` once a state is loaded.

        Args:
            hook: What it returns is dropped.
            prepend: Call it before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: `hook` cannot be called.

        >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)])
        >>> handle = optimizer.register_load_state_dict_post_hook(lambda given: print("loaded"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        loaded
        """
        return self._add_state_hook("register_load_state_dict_post_hook", hook, prepend)
