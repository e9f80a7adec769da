"""Chains of elementwise ops as one: `fuse` and `compile`.

Inside a block the engine puts off what elementwise ops compute until somebody reads it; see
docs/design/0025-what-is-fused-is-put-off.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, overload

from garboard import _engine
from garboard._arguments import check

__all__ = ["Fusing", "compile", "fuse"]

_F = TypeVar("_F", bound=Callable[..., Any])


class Fusing(_engine._FuseBlock):
    """A block in which chains of elementwise ops run as one; a decorator, which gives one a call.

    Blocks may lie within each other, and one object may be entered again inside itself.
    """

    def __call__(self, function: _F) -> _F:
        """Run each call of `function`, or of a module, in such a block.

        Raises:
            TypeError: It is a class, a generator or coroutine function, or cannot be called.
        """
        fused: _F = _fused("fuse", "function", function)
        return fused


def _fused(op: str, name: str, given: Any) -> Any:
    import inspect

    needed = "a function or a module"
    check.function(op, name, given, needed)
    if isinstance(given, type):
        raise TypeError(f"{op}: {name} is the class {given.__name__}; {needed} is needed")
    kinds = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    if any(is_kind(given) for is_kind in kinds):
        raise TypeError(
            f"{op}: {name} is a generator or a coroutine function, and other code runs while it "
            f"waits; {needed} is needed, or `with gb.fuse():` inside it"
        )
    if hasattr(type(given), "_fuse_calls"):  # a module, whose module imports this one
        given._fuse_calls()
        return given

    @wraps(given)
    def fused(*args: Any, **kwargs: Any) -> Any:
        with Fusing():
            return given(*args, **kwargs)

    return fused


if TYPE_CHECKING:  # a class that makes what it decorates is more than checkers follow

    @overload
    def fuse(function: None = None) -> Fusing: ...
    @overload
    def fuse(function: _F) -> _F: ...
    def fuse(function: Any = None) -> Any: ...

    @overload
    def compile(model: None = None, **options: object) -> Fusing: ...
    @overload
    def compile(model: _F, **options: object) -> _F: ...
    def compile(model: Any = None, **options: object) -> Any: ...
else:

    def fuse(function=None):
        """Run chains of elementwise ops as one, in a block, a decorated function or a module.

        Inside, an elementwise op on large tensors of the CPU is put off. Once somebody reads what
        it gives, at the latest at the end of the outermost block, the whole chain behind that runs
        piece by piece, so that what lies between two ops stays in the cache: each input is read
        once, the result is written once, and temporaries are never allocated. A `sum()` or `mean()`
        of all elements may close a chain, and then nothing as large as an input is written.
        Gradients are computed in pieces too, for which the chain runs again: the graph keeps its
        inputs, as far as backward reads them, and no temporaries.

        On a CUDA device a chain is one kernel, where NVRTC is installed, which compiles it when the
        first of its kind runs, for some tenths of a second; `cuda.why_not_fused` says why not.
        Sizes and numbers make no new kind. Gradients are computed op by op.

        Results have the same bits as without; what cannot be fused runs as usual: small tensors,
        operands that have to be converted, memory that NumPy shares, all other devices and ops.
        To read, print, convert, index, reduce, write in place or dispose works as ever. What a
        variable holds is computed as a tensor of its own. The error of an op is raised where it is
        called; where memory runs short, that is said where the result is read.

        What was fused is one node of the graph. An input that backward reads must not be written
        in place before: that raises `VersionError`, naming the chain.

        Args:
            function: A function or a module, each call of which is such a block; a module is
                changed and returned. Without it, a context manager and decorator is returned.

        Returns:
            The decorated function, the module, or a context manager.

        Raises:
            TypeError: `function` is a class, a generator or coroutine function, or cannot be
                called.

        >>> @gb.fuse
        ... def blend(a, b):
        ...     return (a + b) * a - b
        >>> blend(gb.ones(2), gb.ones(2))
        tensor([1., 1.])
        >>> with gb.fuse():
        ...     y = (gb.ones(2) * 2 + 1) * 3
        >>> y
        tensor([9., 9.])
        """
        return Fusing() if function is None else _fused("fuse", "function", function)

    def compile(model=None, **options):
        """Fuse a function or a module: PyTorch's name for `fuse`.

        Args:
            model: A function, or a module, which is changed and returned; without it a decorator
                is returned.
            **options: PyTorch's, without effect.

        Returns:
            The decorated function, the module, or a decorator.

        Raises:
            TypeError: `model` is a class, a generator or coroutine function, or cannot be called.

        >>> @gb.compile(mode="max-autotune")
        ... def swish(x):
        ...     return x * x.sigmoid()
        >>> swish(gb.zeros(2))
        tensor([0., 0.])
        """
        return Fusing() if model is None else _fused("compile", "model", model)
