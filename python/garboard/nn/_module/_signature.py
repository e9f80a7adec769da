"""What `inspect.signature` says of a module: what its call takes, which the slot cannot tell."""

from __future__ import annotations

from typing import Any

from garboard._engine import _ModuleBase

__all__ = ["CallSignature"]


class CallSignature:
    """The `__signature__` of modules; classes have none, so that theirs is their `__init__`'s."""

    def __get__(self, module: Any, owner: type[Any]) -> Any:
        if module is None:
            return None
        import inspect

        if owner.__call__ is not _ModuleBase.__call__:
            return inspect.signature(module.__call__)
        kinds = {"args": inspect.Parameter.VAR_POSITIONAL, "kwargs": inspect.Parameter.VAR_KEYWORD}
        return inspect.Signature([inspect.Parameter(name, kind) for name, kind in kinds.items()])
