"""Classes whose own `__getattr__` answers for what is registered.

PyTorch keeps parameters, buffers and submodules where only `__getattr__` finds them, so that a
class may catch it: to compute a weight from two others, or to count. Here they are ordinary
attributes, which no `__getattr__` is asked for; the classes that have one pay for the question.
"""

from __future__ import annotations

from typing import Any

__all__ = ["ask_own_getattr"]


def ask_own_getattr(cls: Any, common: Any) -> None:
    """Let `cls` ask its `__getattr__` for registered names, where that is not the `common` one."""
    if cls.__getattr__ is not common and cls.__getattribute__ is object.__getattribute__:
        cls.__getattribute__ = _asking


def _asking(self: Any, name: str) -> Any:
    own = object.__getattribute__(self, "__dict__")
    if name in own.get("_roles", ()) and not hasattr(type(self), name):
        return type(self).__getattr__(self, name)
    return object.__getattribute__(self, name)
