"""What surrounds every step: a look at whether the optimizer lives, and its hooks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["hooked", "listeners"]

listeners: list[Callable[[object], None]] = []  # hear of each step of any optimizer, after it


def hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return a step that calls the optimizer's hooks, and takes over what the step has kept.

    A step that calls the one of its base is one step: the outer one's hooks are called.
    """

    @wraps(step)
    def with_hooks(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._is_stepping:
            return step(self, *args, **kwargs)
        if not self._is_native:
            self._refuse_disposed()
        self._is_stepping = True
        try:
            for hook in self._pre_hooks.snapshot() if self._pre_hooks else ():
                changed = hook(self, args, kwargs)
                if changed is not None:
                    if not isinstance(changed, tuple) or len(changed) != 2:
                        raise TypeError(
                            f"{type(self).__name__}.step: a hook returned what is of type "
                            f"{type(changed).__name__}; None, or a tuple of new arguments and "
                            "named arguments, is needed"
                        )
                    args, kwargs = changed
            result = step(self, *args, **kwargs)
            if not self._is_native:
                self._own_new_state()
            self._step_count += 1
            for hook in self._post_hooks.snapshot() if self._post_hooks else ():
                hook(self, args, kwargs)
            for heard in listeners:
                heard(self)
        finally:
            self._is_stepping = False
        return result

    with_hooks._is_hooked = True  # type: ignore[attr-defined]
    return with_hooks
