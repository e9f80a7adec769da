"""What a tensor, a module or an optimizer is, in each library that is loaded; imports none."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["classes", "is_one", "loaded_class"]

_ROLES = {
    "context": (
        ("garboard.autograd.function", "FunctionCtx"),
        ("torch.autograd.function", "BackwardCFunction"),
    ),
    "module": (("garboard.nn", "Module"), ("torch.nn", "Module")),
    "optimizer": (("garboard.optim", "Optimizer"), ("torch.optim", "Optimizer")),
    "parameter": (("garboard.nn", "Parameter"), ("torch.nn", "Parameter")),
    "tensor": (("garboard._engine", "Tensor"), ("torch", "Tensor")),
}


def loaded_class(module: str, name: str) -> type | None:
    """Return a class if its module has been imported; otherwise nothing can be an instance."""
    found = getattr(sys.modules.get(module), name, None)
    return found if issubclass(type(found), type) else None


def classes(role: str) -> tuple[Any, ...]:
    """Return the classes that play a role, in the libraries that are loaded."""
    found = (loaded_class(*name) for name in _ROLES[role])
    return tuple(cls for cls in found if cls is not None)


def is_one(role: str, thing: object) -> bool:
    """Tell whether a thing is a tensor, a module, ..., without asking it."""
    kind, loaded = type(thing), sys.modules
    for module, name in _ROLES[role]:  # a look asks this of each object on each way
        if module in loaded:
            cls = loaded_class(module, name)
            if cls is not None and type.__subclasscheck__(cls, kind):
                return True
    return False
