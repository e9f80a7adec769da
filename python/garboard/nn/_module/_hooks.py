"""Hooks of modules that take named arguments, and those of what is registered on any."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from garboard._hooks import HookTable

__all__ = ["REGISTRATIONS", "HooksWith", "KwargsHook", "pair_of", "told_of"]

# Of what is registered on any module, by its role.
REGISTRATIONS = {role: HookTable() for role in ("parameter", "buffer", "module")}


def told_of(module: Any, name: str, role: str, value: Any) -> Any:
    """What hooks make of a value that is registered on a module: the same, mostly."""
    table = REGISTRATIONS[role.removeprefix("transient ")]
    if table and (value is not None or role != "parameter"):
        for hook in table.snapshot():
            changed = hook(module, name, value)
            value = value if changed is None else changed
    return value


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

    def after_an_error(self, module: Any, args: Any, kwargs: Any, output: Any) -> None:
        """Call it while an error is on its way, which must not be lost."""
        try:
            self.after(module, args, kwargs, output)
        except Exception as error:
            warnings.warn(
                f"{type(module).__name__}: a forward hook with always_call raised "
                f"{type(error).__name__}, which is left out: another error came first",
                stacklevel=2,
            )

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


class HooksWith:
    """Which hooks of a module have a trait, as PyTorch keeps them: True by each one's number.

    A dict of its own at each look, to be read; what a program sets in its place stands there.
    """

    def __init__(self, kind: str, trait: str) -> None:
        self.kind, self.trait = kind, trait

    def __get__(self, module: Any, owner: type) -> Any:
        if module is None:
            return self
        hooks = getattr(module, self.kind).items()
        return {number: True for number, hook in hooks if getattr(hook, self.trait, False)}


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
