"""What programs that can be traced say to PyTorch's tracer: there is none, so nothing is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.nn.module import Module

__all__ = ["Graph", "GraphModule", "Node", "Proxy", "wrap"]

_F = TypeVar("_F", bound=Callable[..., Any] | str)

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__, ("experimental",))


def wrap(fn_or_name: _F) -> _F:
    """Return what is given: a function that a tracer would not look into is an ordinary one.

    Args:
        fn_or_name: A function, or the name of one of the module's.

    Raises:
        TypeError: Something else.

    >>> gb.fx.wrap("len")
    'len'
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise TypeError(
            f"wrap: fn_or_name is of type {type(fn_or_name).__name__}; a function or the name of "
            "one is needed"
        )
    return fn_or_name


class Proxy:
    """What a tracer would hand to a model in place of a tensor: no object is one.

    Args:
        *given: Ignored.
        **named: Ignored.

    Raises:
        NotImplementedError: Always: nothing is traced.

    >>> isinstance(gb.ones(1), gb.fx.Proxy)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: nothing is traced."""
        raise NotImplementedError("Proxy: nothing is traced here; give the model a Tensor")


class Graph:
    """The ops of a model, as a tracer would write them down: no object is one.

    Args:
        *given: Ignored.
        **named: Ignored.

    Raises:
        NotImplementedError: Always: nothing is traced.

    >>> isinstance(gb.nn.Linear(2, 1), gb.fx.Graph)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: nothing is traced."""
        raise NotImplementedError(
            f"{cls.__name__}: nothing is traced here; call the ops one by one"
        )


class Node:
    """One op of such a graph: no object is one.

    Args:
        *given: Ignored.
        **named: Ignored.

    Raises:
        NotImplementedError: Always: nothing is traced.

    >>> isinstance(gb.ones(1).grad_fn, gb.fx.Node)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: nothing is traced."""
        raise NotImplementedError("Node: nothing is traced here; call the op itself")


class GraphModule(Module):
    """A module that a tracer would make of such a graph: no module is one.

    Args:
        *given: Ignored.
        **named: Ignored.

    Raises:
        NotImplementedError: Always: nothing is traced.

    >>> isinstance(gb.nn.Linear(2, 1), gb.fx.GraphModule)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: nothing is traced."""
        raise NotImplementedError("GraphModule: nothing is traced here; call the module itself")


publish_paths(__name__)
