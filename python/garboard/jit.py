"""What PyTorch's programs say to TorchScript: there is none here, and ops run as they are called.

So what is to be compiled is returned as it is; of a module `ScriptModule` knows that it was.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import (  # noqa: UP035
    TYPE_CHECKING,
    Any,
    Dict,  # noqa: F401
    Final,
    List,  # noqa: F401
    NoReturn,
    Optional,  # noqa: F401
    Tuple,  # noqa: F401
    TypeVar,
    Union,  # noqa: F401
)

from garboard._arguments import check
from garboard._arguments.given import items_of, list_of
from garboard._contexts.blocks import block
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard._root.typed import isinstance
from garboard.futures import Future
from garboard.nn.module import Module

__all__ = [
    "Error",
    "Final",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "fork",
    "freeze",
    "fuser",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

# What annotations for TorchScript say; BroadcastingList2[int] is a list of two, or one for both.
BroadcastingList1: type[list[Any]] = list
BroadcastingList2: type[list[Any]] = list
BroadcastingList3: type[list[Any]] = list


_SCRIPTED = "_is_scripted"  # among a module's own attributes, so that a copy is one as well


class _OfScripted(type):
    """Has each module be a ScriptModule that `script`, `trace` or `trace_module` returned."""

    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        if cls is not ScriptModule or not builtins.isinstance(instance, Module):
            return False
        return _SCRIPTED in vars(instance)


class ScriptModule(Module, metaclass=_OfScripted):
    """What a module is called that was given to `script` or `trace`: it stays what it was.

    Also a Module by another name, of which programs derive what they once had compiled.

    >>> model = gb.nn.Linear(2, 1)
    >>> isinstance(model, gb.jit.ScriptModule)
    False
    >>> isinstance(gb.jit.script(model), gb.jit.ScriptModule)
    True
    """


RecursiveScriptModule = ScriptModule


class ScriptFunction:
    """What PyTorch's compiler makes of a function; none is one here, functions stay as they are.

    Args:
        given: Ignored.
        named: Ignored.

    Raises:
        TypeError: One is asked for.

    >>> isinstance(gb.jit.script(gb.exp), gb.jit.ScriptFunction)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        raise TypeError("ScriptFunction: nothing is compiled here; call the function as it is")


class Error(Exception):
    """What compiled code raises in PyTorch: never raised here, where code raises its own errors.

    >>> issubclass(gb.jit.Error, Exception)
    True
    """


class TracerWarning(Warning):
    """What PyTorch's tracer warns of: never given here, and named by filters of warnings."""


_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T")


def _as_scripted(given: _F) -> _F:
    """The same; of a module `ScriptModule` says from now on that it is one."""
    if builtins.isinstance(given, Module):
        vars(given)[_SCRIPTED] = True
        if not hasattr(given, "original_name"):  # what it was before, as in PyTorch
            vars(given)["original_name"] = type(given).__name__
    return given


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
    return _as_scripted(obj)


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
    return _as_scripted(func)


def trace_module(mod: _F, inputs: object = None, **options: object) -> _F:
    """Return a module as it is: its methods run with any inputs.

    Args:
        mod: Whose methods PyTorch would record.
        inputs: Ignored.
        options: PyTorch's, without effect.

    Returns:
        `mod`.

    Raises:
        TypeError: `mod` cannot be called.

    >>> model = gb.nn.Linear(2, 1)
    >>> gb.jit.trace_module(model, {"forward": gb.ones(1, 2)}) is model
    True
    """
    check.function("jit.trace_module", "mod", mod)
    return _as_scripted(mod)


def fork(func: Callable[..., _T], *args: object, **kwargs: object) -> Future[_T]:
    """Call a function at once, and return a future that has what it returned.

    Outside of its compiler PyTorch does the same: nothing runs beside the program.

    Args:
        func: A function or a module.
        *args: Its arguments.
        **kwargs: Its arguments by name.

    Returns:
        A `gb.futures.Future` that is done; `wait` takes it.

    Raises:
        TypeError: `func` cannot be called.
        BaseException: What the function raises.

    >>> gb.jit.wait(gb.jit.fork(gb.add, gb.ones(1), gb.ones(1)))
    tensor([2.])
    """
    check.function("jit.fork", "func", func)
    future: Future[_T] = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future[_T]) -> _T:
    """Return the result of a future, once it is there.

    Args:
        future: What `fork` returned, or another.

    Returns:
        What its `wait()` returns.

    Raises:
        TypeError: It is no `gb.futures.Future`.
        BaseException: What the future was given in place of a result.

    >>> gb.jit.wait(gb.jit.fork(len, [1, 2]))
    2
    """
    found: _T = check.of_type(Future, "jit.wait", "future", future).wait()
    return found


@block
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """Open a block that changes nothing: nothing is compiled.

    Args:
        should_optimize: Ignored.

    Yields:
        Nothing.

    Raises:
        TypeError: `should_optimize` is neither True nor False.

    >>> with gb.jit.optimized_execution(False):
    ...     x = gb.ones(1)
    """
    check.flag("jit.optimized_execution", "should_optimize", should_optimize)
    yield


@block
def fuser(name: str) -> Iterator[None]:
    """Open a block that changes nothing: `gb.compile` runs chains of elementwise ops as one.

    Args:
        name: Which of PyTorch's fusers: "fuser0" to "fuser3".

    Yields:
        Nothing.

    Raises:
        ValueError: There is none of that name.

    >>> with gb.jit.fuser("fuser1"):
    ...     x = gb.ones(1)
    """
    check.choice("jit.fuser", "name", name, "fuser0", "fuser1", "fuser2", "fuser3", "off")
    yield


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Remember how PyTorch's compiler would specialize; nothing is compiled here.

    Args:
        strategy: Pairs of "STATIC" or "DYNAMIC", and how often.

    Returns:
        What was set before, PyTorch's default at first.

    Raises:
        TypeError: It is no list of pairs.
        ValueError: Another word, or a negative number.

    >>> before = gb.jit.set_fusion_strategy([("DYNAMIC", 3)])
    >>> gb.jit.set_fusion_strategy(before)
    [('DYNAMIC', 3)]
    """
    op = "jit.set_fusion_strategy"
    told = []
    for pair in list_of((tuple, list), op, "strategy", strategy, of="pairs"):
        items = items_of(pair)
        if len(items) != 2:
            raise ValueError(f"{op}: {len(items)} items; pairs such as ('STATIC', 2) are needed")
        kind = check.choice(op, "strategy", items[0], "STATIC", "DYNAMIC")
        told.append((kind, check.count(op, "strategy", items[1])))
    before = list(_strategy)
    _strategy[:] = told
    return before


_strategy: list[tuple[str, int]] = [("STATIC", 2), ("DYNAMIC", 10)]


def enable_onednn_fusion(enabled: bool) -> None:
    """Remember whether PyTorch would give traced models to oneDNN; nothing is compiled here.

    Args:
        enabled: Whether it would.

    Raises:
        TypeError: It is no bool.

    >>> gb.jit.enable_onednn_fusion(True)
    >>> gb.jit.onednn_fusion_enabled()
    True
    >>> gb.jit.enable_onednn_fusion(False)
    """
    _switches["onednn"] = check.flag("jit.enable_onednn_fusion", "enabled", enabled)


def onednn_fusion_enabled() -> bool:
    """Tell what `enable_onednn_fusion` was last given.

    Returns:
        A bool, False at first.

    >>> gb.jit.onednn_fusion_enabled()
    False
    """
    return _switches["onednn"]


_switches = {"onednn": False}


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
