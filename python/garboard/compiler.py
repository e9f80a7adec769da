"""What PyTorch's programs say to its compiler: there is none here, and ops run as they are called.

`compile` itself is `gb.compile`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, overload

from garboard._arguments import check
from garboard._contexts.fusing import compile

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "load_cache_artifacts",
    "nested_compile_region",
    "nonstrict_trace",
    "reset",
    "save_cache_artifacts",
    "set_default_backend",
    "set_stance",
    "substitute_in_graph",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@overload
def disable(fn: _Function, recursive: bool = True, *, reason: str | None = None) -> _Function: ...
@overload
def disable(
    fn: None = None, recursive: bool = True, *, reason: str | None = None
) -> Callable[[_Function], _Function]: ...
def disable(
    fn: _Function | None = None, recursive: bool = True, *, reason: str | None = None
) -> _Function | Callable[[_Function], _Function]:
    """Return the function: it is not compiled anyway. Also a decorator, with options or without.

    Args:
        fn: A function or a module.
        recursive: Ignored.
        reason: Ignored.

    Returns:
        `fn` itself; without it a function that returns what it is given.

    Raises:
        TypeError: `fn` cannot be called.

    >>> gb.compiler.disable(len) is len
    True
    """
    if fn is None:
        return lambda given: given
    given: _Function = check.function("disable", "fn", fn)
    return given


def allow_in_graph(fn: _Function) -> _Function:
    """Return the function.

    Args:
        fn: A function.

    Raises:
        TypeError: It cannot be called.

    >>> gb.compiler.allow_in_graph(len) is len
    True
    """
    given: _Function = check.function("allow_in_graph", "fn", fn)
    return given


def assume_constant_result(fn: _Function) -> _Function:
    """Return the function.

    Args:
        fn: A function.

    Raises:
        TypeError: It cannot be called.

    >>> gb.compiler.assume_constant_result(len) is len
    True
    """
    given: _Function = check.function("assume_constant_result", "fn", fn)
    return given


def is_compiling() -> bool:
    """Return False.

    >>> gb.compiler.is_compiling()
    False
    """
    return False


def is_dynamo_compiling() -> bool:
    """Return False.

    >>> gb.compiler.is_dynamo_compiling()
    False
    """
    return False


def is_exporting() -> bool:
    """Return False.

    >>> gb.compiler.is_exporting()
    False
    """
    return False


def list_backends() -> list[str]:
    """Return no names.

    >>> gb.compiler.list_backends()
    []
    """
    return []


def reset() -> None:
    """Do nothing: for programs that call it.

    >>> gb.compiler.reset()
    """


def cudagraph_mark_step_begin() -> None:
    """Do nothing: for programs that call it.

    >>> gb.compiler.cudagraph_mark_step_begin()
    """


class set_stance:
    """Say how PyTorch's compiler is to compile: nothing changes here.

    A function, a block or a decorator, as there.

    Args:
        stance: "default", "force_eager", "eager_on_recompile", "fail_on_recompile",
            "eager_then_compile" or "aot_eager_then_compile".
        skip_guard_eval_unsafe: Ignored.
        force_backend: Ignored.

    Raises:
        ValueError: Another stance.
        TypeError: `skip_guard_eval_unsafe` is neither True nor False; what is decorated cannot be
            called.

    >>> with gb.compiler.set_stance("force_eager"):
    ...     x = gb.ones(1)
    """

    def __init__(
        self,
        stance: str = "default",
        *,
        skip_guard_eval_unsafe: bool = False,
        force_backend: object = None,
    ) -> None:
        op = "set_stance"
        check.choice(op, "stance", stance, *_STANCES)
        check.flag(op, "skip_guard_eval_unsafe", skip_guard_eval_unsafe)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> None:
        pass

    def __call__(self, fn: _Function) -> _Function:
        given: _Function = check.function("set_stance", "fn", fn)
        return given


_STANCES = (
    "default",
    "force_eager",
    "eager_on_recompile",
    "fail_on_recompile",
    "eager_then_compile",
    "aot_eager_then_compile",
)


@overload
def nested_compile_region(
    fn: _Function,
    *,
    options: object = None,
    max_reuse_entries: int = 8,
    reuse_hash_fn: object = None,
) -> _Function: ...
@overload
def nested_compile_region(
    fn: None = None,
    *,
    options: object = None,
    max_reuse_entries: int = 8,
    reuse_hash_fn: object = None,
) -> Callable[[_Function], _Function]: ...
def nested_compile_region(
    fn: _Function | None = None,
    *,
    options: object = None,
    max_reuse_entries: int = 8,
    reuse_hash_fn: object = None,
) -> _Function | Callable[[_Function], _Function]:
    """Return the function, as PyTorch does outside of its compiler.

    Args:
        fn: A function or a module; without one a decorator is returned.
        options: Ignored.
        max_reuse_entries: Ignored.
        reuse_hash_fn: Ignored.

    Raises:
        TypeError: It cannot be called.

    >>> gb.compiler.nested_compile_region(len) is len
    True
    """
    if fn is None:
        return partial(check.function, "nested_compile_region", "fn")
    given: _Function = check.function("nested_compile_region", "fn", fn)
    return given


def nonstrict_trace(traceable_fn: _Function) -> _Function:
    """Return the function.

    Args:
        traceable_fn: A function.

    Raises:
        TypeError: It cannot be called.

    >>> gb.compiler.nonstrict_trace(len) is len
    True
    """
    given: _Function = check.function("nonstrict_trace", "traceable_fn", traceable_fn)
    return given


def substitute_in_graph(
    original_fn: Callable[..., object],
    *,
    can_constant_fold_through: bool = False,
    skip_signature_check: bool = False,
) -> Callable[[_Function], _Function]:
    """Return a decorator that returns what it is given: a compiler alone would call it instead.

    Args:
        original_fn: What a compiler would replace.
        can_constant_fold_through: Ignored.
        skip_signature_check: Ignored.

    Raises:
        TypeError: `original_fn` cannot be called.

    >>> gb.compiler.substitute_in_graph(len)(abs) is abs
    True
    """
    check.function("substitute_in_graph", "original_fn", original_fn)
    return lambda given: given


_Backend = str | Callable[..., object]
_backends: list[_Backend] = ["inductor"]


def get_default_backend() -> _Backend:
    """Return what `set_default_backend` was given, "inductor" at first; nothing asks for it.

    >>> gb.compiler.get_default_backend()
    'inductor'
    """
    return _backends[0]


def set_default_backend(backend: _Backend | None) -> None:
    """Remember a backend of PyTorch's compiler; nothing asks for it.

    Args:
        backend: A name or a function; None for "inductor".

    Raises:
        TypeError: It is neither.

    >>> gb.compiler.set_default_backend("eager")
    >>> gb.compiler.get_default_backend()
    'eager'
    >>> gb.compiler.set_default_backend(None)
    """
    op = "set_default_backend"
    if isinstance(backend, str) or backend is None:
        _backends[0] = backend or "inductor"
    else:
        _backends[0] = check.function(op, "backend", backend, "a name or a function")


def save_cache_artifacts() -> None:
    """Return None, as PyTorch does where nothing was compiled.

    >>> gb.compiler.save_cache_artifacts()
    """


def load_cache_artifacts(serialized_artifacts: bytes) -> None:
    """Return None, as PyTorch does where nothing can be taken from a cache.

    Args:
        serialized_artifacts: Ignored.

    >>> gb.compiler.load_cache_artifacts(b"")
    """
