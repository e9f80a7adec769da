"""Functions written in Python, whose calls classes and blocks take over as those of the engine."""

from __future__ import annotations

from functools import update_wrapper
from types import FunctionType
from typing import Any

from garboard._engine import _Overridable

__all__ = ["all_overridable"]


def all_overridable(module: dict[str, Any], *names: str) -> None:
    """Have the `__torch_function__` of blocks and arguments be asked before each function.

    What is asked is given the function as the module has it from now on; where it declines, or
    nobody is to be asked, the function itself runs. An object of C calls it, as a wrapper of
    `*given, **named` takes three times as long. Methods are not changed: add them before.

    Args:
        module: What the module's `globals()` returns, at its end.
        names: Of its functions, several to a text; by default all that it offers and defines.
    """
    for name in " ".join(names).split() or module["__all__"]:
        function = module.get(name)
        if isinstance(function, FunctionType) and function.__module__ == module["__name__"]:
            module[name] = made = update_wrapper(_Overridable(function), function)
            for part in ("__defaults__", "__kwdefaults__"):  # programs look which names it takes
                setattr(made, part, getattr(function, part))
