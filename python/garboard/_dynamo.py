"""What programs say to the front of PyTorch's compiler: there is none, and ops run as called.

Beside it `_inductor`, the back. Their settings take what they are given and change nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ContextDecorator, nullcontext
from functools import lru_cache
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn, TypeVar

from garboard._names.paths import publish
from garboard.compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
)
from garboard.nn.module import Module

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "graph_break",
    "is_compiling",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "optimize",
    "reset",
    "utils",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_M = TypeVar("_M", bound=ModuleType)


class OptimizedModule(Module):
    """What PyTorch's `compile` makes of a module: no module is one here."""

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: a module is compiled as it is."""
        raise NotImplementedError("OptimizedModule: use gb.compile(module), which returns module")


def graph_break(msg: str = "") -> None:
    """Do nothing: there is no graph to break.

    Args:
        msg: Ignored.
    """


def mark_dynamic(t: object, index: object, **options: object) -> None:
    """Do nothing: a size may always be another.

    Args:
        t: Ignored.
        index: Ignored.
        options: Ignored.
    """


def mark_static(t: object, index: object = None) -> None:
    """Do nothing: nothing is compiled for a size.

    Args:
        t: Ignored.
        index: Ignored.
    """


def optimize(*given: object, **named: object) -> Callable[[_F], _F]:
    """Return a function that returns what it is given: `gb.compile` fuses it.

    Args:
        given: PyTorch's, without effect.
        named: Likewise.
    """
    return lambda given: given


maybe_mark_dynamic = mark_dynamic
mark_static_address = mark_static


class Settings(ModuleType):
    """Settings of a compiler: any that is asked for before it is set has settings itself."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = vars(self)[name] = SimpleNamespace()
        return found

    def patch(self, *given: object, **named: object) -> Any:
        """Return a block, also a decorator, in which settings would be others."""
        return type("patch", (nullcontext, ContextDecorator), {})()


def _published(made: _M, **members: object) -> _M:
    """A module that is a name alone, where imports find it."""
    vars(made).update(members)
    publish(made)
    return made


def _settings(name: str) -> Settings:
    return _published(Settings(name, __doc__))


def _module(name: str, **members: object) -> ModuleType:
    return _published(ModuleType(name, __doc__), **members)


config = _settings(f"{__name__}.config")
eval_frame = _module(
    f"{__name__}.eval_frame", OptimizedModule=OptimizedModule, is_dynamo_supported=lambda: False
)
external_utils = _module(f"{__name__}.external_utils", is_compiling=is_compiling)


@lru_cache(None)
def _warn_once(msg: str, stacklevel: int = 1) -> None:
    """Warn, of each text once."""
    warnings.warn(msg, stacklevel=stacklevel + 1)


utils = _module(
    f"{__name__}.utils", is_compile_supported=lambda device_type: False, warn_once=_warn_once
)
# A block in which a trace looks up elements by ops: they are looked up by ops here anyway.
_trace_wrapped_higher_order_op = _module(
    f"{__name__}._trace_wrapped_higher_order_op", TransformGetItemToIndex=nullcontext
)
