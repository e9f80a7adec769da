"""The arguments of calls by their names, defaults and all: how a graph's nodes are compared."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._names.missing import module_getattr
from garboard.nn.module import Module

__all__ = ["ArgsKwargsPair", "normalize_function", "normalize_module"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

_OF_ONE_VALUE = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class ArgsKwargsPair(NamedTuple):
    """The arguments of a call: those by place, and those by name."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def normalize_function(
    target: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    arg_types: Sequence[Any] | None = None,
    kwarg_types: Mapping[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """Return the arguments of a function's call, with the defaults of those that are not given.

    Args:
        target: The function.
        args: By place.
        kwargs: By name.
        arg_types: Ignored, as what follows: each function here has one list of arguments.
        kwarg_types: Ignored.
        normalize_to_only_use_kwargs: Give all by name; else those that were given by place are.

    Returns:
        Both; None where the function does not tell its names, or they do not fit what is given.

    Raises:
        TypeError: `target` cannot be called.

    >>> from garboard.fx.operator_schemas import normalize_function
    >>> normalize_function(gb.cat, ([gb.ones(1)],), {})
    ArgsKwargsPair(args=([tensor([1.])],), kwargs={'dim': 0})
    """
    op = "normalize_function"
    function = check.function(op, "target", target)
    by_name = check.flag(op, "normalize_to_only_use_kwargs", normalize_to_only_use_kwargs)
    return _normalized(function, tuple(args), dict(kwargs or {}), by_name)


def normalize_module(
    root: Module,
    target: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """Return the arguments of a module's call, as `normalize_function` those of its forward.

    Args:
        root: The module that it is part of.
        target: Its path.
        args: By place.
        kwargs: By name.
        normalize_to_only_use_kwargs: Give all by name; else those that were given by place are.

    Returns:
        Both; None where forward does not tell its names, or they do not fit what is given.

    Raises:
        RuntimeError: There is no module of that path.
        TypeError: `root` is no Module.

    >>> from garboard.fx.operator_schemas import normalize_module
    >>> root = gb.nn.Sequential(gb.nn.ReLU())
    >>> normalize_module(root, "0", (1,), {}, normalize_to_only_use_kwargs=True)
    ArgsKwargsPair(args=(), kwargs={'input': 1})
    """
    op = "normalize_module"
    path = check.text(op, "target", target)
    by_name = check.flag(op, "normalize_to_only_use_kwargs", normalize_to_only_use_kwargs)
    try:
        part = check.of_type(Module, op, "root", root).get_submodule(path)
    except AttributeError:
        raise ArgumentError(f"{op}: target {shown(path)}; a submodule's path is needed") from None
    return _normalized(part.forward, tuple(args), dict(kwargs or {}), by_name)


def _normalized(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], by_name: bool
) -> ArgsKwargsPair | None:
    try:
        signature = inspect.signature(function)
        bound = signature.bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    if any(it.kind not in _OF_ONE_VALUE for it in signature.parameters.values()):
        return None
    bound.apply_defaults()
    found: list[Any] = []
    named: dict[str, Any] = {}
    for place, (name, value) in enumerate(bound.arguments.items()):
        if name == "out" and value is None:
            continue
        if place < len(args) and not by_name:
            found.append(value)
        else:
            named[name] = value
    return ArgsKwargsPair(tuple(found), named)
