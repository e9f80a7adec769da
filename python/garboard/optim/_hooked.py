"""What surrounds every step: a look at whether the optimizer lives, and its hooks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from garboard._arguments import check
from garboard._arguments.errors import ResultError
from garboard._hooks import HookTable, RemovableHandle

__all__ = [
    "hooked",
    "listeners",
    "register_optimizer_step_post_hook",
    "register_optimizer_step_pre_hook",
]

listeners: list[Callable[[object], None]] = []  # hear of each step of any optimizer, after it

# Of every optimizer in the process.
_every_pre_hooks, _every_post_hooks = HookTable(), HookTable()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before every step of every optimizer.

    Args:
        hook: What it returns, unless None, replaces both: a tuple of a tuple and a dict. `args`
            begins with the optimizer; the new ones may leave it out.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: `hook` cannot be called.

    >>> from garboard.optim.optimizer import register_optimizer_step_pre_hook
    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> with register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: print("now")):
    ...     optimizer.step()
    now
    """
    check.function("register_optimizer_step_pre_hook", "hook", hook)
    return _every_pre_hooks.add(hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after every step of every optimizer.

    Args:
        hook: What it returns is dropped. `args` begins with the optimizer.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: `hook` cannot be called.

    >>> from garboard.optim.optimizer import register_optimizer_step_post_hook
    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> with register_optimizer_step_post_hook(lambda optimizer, args, kwargs: print("done")):
    ...     optimizer.step()
    done
    """
    check.function("register_optimizer_step_post_hook", "hook", hook)
    return _every_post_hooks.add(hook)


def hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return a step that calls the optimizer's hooks, and takes over what the step has kept.

    A step that calls the one of its base is one step: the outer one's hooks are called.
    """

    @wraps(step)
    def with_hooks(self: Any, *args: Any, **kwargs: Any) -> Any:
        # A class whose `__init__` calls no other's, as one around another optimizer, has no groups.
        if self._is_stepping or not hasattr(self, "param_groups"):
            return step(self, *args, **kwargs)
        if not self._is_native:
            self._refuse_disposed()
        self._is_stepping = True
        try:
            hooks = self._pre_hooks.snapshot() if self._pre_hooks else ()
            if _every_pre_hooks:
                hooks = (*_every_pre_hooks.snapshot(), *hooks)
            for hook in hooks:
                changed = hook(self, (self, *args), kwargs)
                if changed is not None:
                    if not isinstance(changed, tuple) or len(changed) != 2:
                        raise ResultError(
                            f"{type(self).__name__}.step: a hook returned what is of type "
                            f"{type(changed).__name__}; None, or a tuple of new arguments and "
                            "named arguments, is needed"
                        )
                    args, kwargs = changed
                    if args and args[0] is self:
                        args = args[1:]
            result = step(self, *args, **kwargs)
            if not self._is_native:
                self._own_new_state()
            self._step_count += 1
            hooks = self._post_hooks.snapshot() if self._post_hooks else ()
            if _every_post_hooks:
                hooks = (*hooks, *_every_post_hooks.snapshot())
            for hook in hooks:
                hook(self, (self, *args), kwargs)
            for heard in listeners:
                heard(self)
        finally:
            self._is_stepping = False
        return result

    with_hooks._is_hooked = True  # type: ignore[attr-defined]
    return with_hooks
