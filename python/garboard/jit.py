"""What PyTorch's programs say to TorchScript: there is none here, and ops run as they are called.

So what is to be compiled is returned as it is, and what asks whether it was hears that it was not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import (  # noqa: UP035
    TYPE_CHECKING,
    Any,
    Dict,  # noqa: F401
    Final,
    List,  # noqa: F401
    Optional,  # noqa: F401
    Tuple,  # noqa: F401
    TypeVar,
    Union,  # noqa: F401
)

from garboard._arguments import check
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.nn.module import Module

__all__ = [
    "Final",
    "ScriptModule",
    "annotate",
    "export",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "optimize_for_inference",
    "script",
    "script_if_tracing",
    "script_method",
    "trace",
    "unused",
]

# What annotations for TorchScript say; BroadcastingList2[int] is a list of two, or one for both.
BroadcastingList1: type[list[Any]] = list
BroadcastingList2: type[list[Any]] = list
BroadcastingList3: type[list[Any]] = list


class ScriptModule(Module):
    """A Module by another name, of which programs derive what they once had compiled.

    No other module is an instance: what asks whether one was compiled hears that it was not.

    >>> isinstance(gb.nn.Linear(2, 1), gb.jit.ScriptModule)
    False
    """


class TracerWarning(Warning):
    """What PyTorch's tracer warns of: never given here, and named by filters of warnings."""


_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T")


def script(obj: _F, *options: object, **named: object) -> _F:
    """Return a function, a class or a module as it is.

    Args:
        obj: What PyTorch would compile. Also by decorating it.
        options: PyTorch's, without effect.
        named: Likewise.

    Returns:
        `obj`; `gb.compile` runs chains of its elementwise ops as one.

    Raises:
        TypeError: `obj` cannot be called.

    >>> @gb.jit.script
    ... def scaled_tanh(x):
    ...     return 1.7 * gb.tanh(x)
    >>> scaled_tanh(gb.zeros(2))
    tensor([0., 0.])
    """
    check.function("jit.script", "obj", obj)
    return obj


def trace(func: _F, example_inputs: object = None, **options: object) -> _F:
    """Return a function or a module as it is: it runs with any inputs.

    Args:
        func: What PyTorch would record.
        example_inputs: Ignored.
        options: PyTorch's, without effect.

    Returns:
        `func`.

    Raises:
        TypeError: `func` cannot be called.

    >>> model = gb.nn.Linear(2, 1)
    >>> gb.jit.trace(model, gb.ones(1, 2)) is model
    True
    """
    check.function("jit.trace", "func", func)
    return func


def _marked(op: str) -> Callable[[_F], _F]:
    def mark(fn: _F) -> _F:
        check.function(f"jit.{op}", "fn", fn)
        return fn

    mark.__name__ = mark.__qualname__ = op
    mark.__doc__ = f"""Return a function as it is: nothing is compiled.

    Args:
        fn: What PyTorch would mark for its compiler. Also by decorating it.

    Returns:
        `fn`.

    Raises:
        TypeError: `fn` cannot be called.

    {">" * 3} gb.jit.{op}(len) is len
    True
    """
    return mark


export: Callable[[_F], _F] = _marked("export")
interface: Callable[[_F], _F] = _marked("interface")
script_if_tracing: Callable[[_F], _F] = _marked("script_if_tracing")
script_method: Callable[[_F], _F] = _marked("script_method")


def _left_out(op: str) -> Callable[..., Any]:
    def leave_out(drop: object = False, **options: object) -> Any:
        return drop if callable(drop) else lambda fn: fn

    leave_out.__name__ = leave_out.__qualname__ = op
    leave_out.__doc__ = f"""Return a function as it is: nothing is compiled.

    Args:
        drop: The function; or an option of PyTorch's, and a decorator is returned.
        options: PyTorch's, without effect.

    Returns:
        The function, or a decorator that returns what it is given.

    {">" * 3} gb.jit.{op}(len) is len
    True
    """
    return leave_out


ignore: Callable[..., Any] = _left_out("ignore")
unused: Callable[..., Any] = _left_out("unused")


def annotate(the_type: object, the_value: _T) -> _T:
    """Return a value: its type is told to PyTorch's compiler alone.

    Args:
        the_type: Ignored.
        the_value: Anything.

    Returns:
        `the_value`.

    >>> gb.jit.annotate(list[int], [])
    []
    """
    return the_value


def freeze(mod: _F, *options: object, **named: object) -> _F:
    """Return a module as it is.

    Args:
        mod: What PyTorch would optimize.
        options: PyTorch's, without effect.
        named: Likewise.

    Returns:
        `mod`.

    >>> model = gb.nn.Linear(2, 1).eval()
    >>> gb.jit.freeze(model) is model
    True
    """
    return mod


optimize_for_inference = freeze


def _overload(func: _F) -> _F:
    """The types that a function also takes, which are told to PyTorch's compiler alone."""
    return func


_overload_method = _script_if_tracing = _overload


def is_scripting() -> bool:
    """Return False: nothing is compiled.

    >>> gb.jit.is_scripting()
    False
    """
    return False


def is_tracing() -> bool:
    """Return False: nothing is recorded.

    >>> gb.jit.is_tracing()
    False
    """
    return False


if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

publish_paths(__name__)
