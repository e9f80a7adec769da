"""Grad mode: whether ops are recorded, in a block, a function, a generator or a coroutine.

It belongs to a thread and asyncio task, as the open dispose scope does: a task that waits inside a
block of `no_grad` switches nobody else's recording. A task begins with the mode of its creator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from garboard import _engine
from garboard._arguments.check import flag
from garboard._contexts.decorating import decorated

__all__ = ["GradMode", "enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]

_F = TypeVar("_F", bound=Callable[..., Any])


# As in csrc/tensor/grad_mode.h.
_RECORDS = 1
_INFERENCE = 4


class GradMode(_engine._GradBlock):
    """A block with a grad mode of its own; a decorator, which gives each call such a block.

    Blocks may be left in any order: the mode is that of the innermost one that is left. One object
    may be entered again inside itself, and by several threads and tasks at once.
    """

    _mask: int = _RECORDS  # the bits that it sets
    _bits: int

    def __call__(self, function: _F) -> _F:
        """Run each call of `function` in this mode.

        A generator, a coroutine or an asynchronous generator has it whenever its own code runs, and
        not while it waits: what others do meanwhile is recorded as before. Of a class, the
        constructor alone has it, with a warning.

        Raises:
            TypeError: `function` cannot be called.
        """
        in_mode: _F = decorated(self, function)
        return in_mode


if TYPE_CHECKING:  # a class that makes what it decorates is more than checkers follow

    @overload
    def no_grad(function: None = None) -> GradMode: ...
    @overload
    def no_grad(function: _F) -> _F: ...
    def no_grad(function: Any = None) -> Any: ...

    @overload
    def enable_grad(function: None = None) -> GradMode: ...
    @overload
    def enable_grad(function: _F) -> _F: ...
    def enable_grad(function: Any = None) -> Any: ...

    @overload
    def inference_mode(mode: bool = True) -> GradMode: ...
    @overload
    def inference_mode(mode: _F) -> _F: ...
    def inference_mode(mode: Any = True) -> Any: ...
else:

    class _WithoutACall(GradMode):
        def __new__(cls, function=None):
            block = object.__new__(cls)
            return block if function is None else block(function)

    class no_grad(_WithoutACall):
        """Do not record ops, in a block or a decorated function.

        What they compute asks for no gradient and keeps no graph alive. Grad mode belongs to a
        thread and asyncio task, as the open dispose scope does; a task begins with that of its
        creator. A decorated generator, coroutine or asynchronous generator has it whenever its own
        code runs, and not while it waits. One object may serve any number of blocks, within each
        other too, and they may be left in any order.

        Args:
            function: What is decorated without a call, as `@gb.no_grad`; `@gb.no_grad()` is the
                same.

        Raises:
            TypeError: What is decorated is a class, or cannot be called.

        >>> x = gb.ones(2, requires_grad=True)
        >>> with gb.no_grad():
        ...     (x * 2).requires_grad
        False
        >>> @gb.no_grad
        ... def evaluate(x):
        ...     return x * 2
        >>> evaluate(x).requires_grad
        False
        """

        _bits = 0

    class enable_grad(_WithoutACall):
        """Record ops, in a block or a decorated function, inside a `no_grad` block too.

        Args:
            function: What is decorated without a call, as `@gb.enable_grad`; `@gb.enable_grad()`
                is the same.

        Raises:
            TypeError: What is decorated is a class, or cannot be called.

        >>> x = gb.ones(2, requires_grad=True)
        >>> with gb.no_grad(), gb.enable_grad():
        ...     (x * 2).requires_grad
        True
        """

        _bits = _RECORDS

    class inference_mode(GradMode):
        """Record nothing, and have what is made take no part in any graph, ever.

        As `no_grad`, and stricter: a tensor that is made inside is refused where a graph outside
        would keep it, where it is to require grad, and where it is written in place outside; so no
        result of an evaluation leaks into training unseen. `clone()` it outside for those. Tensors
        that were made outside may be read and written inside. Like grad mode it belongs to a
        thread and asyncio task; `no_grad` tells more of blocks and decorators.

        Args:
            mode: False for ordinary mode inside an `inference_mode` block; or what is decorated
                without a call.

        Raises:
            TypeError: `mode` is neither True nor False nor a function.

        >>> x = gb.ones(2, requires_grad=True)
        >>> with gb.inference_mode():
        ...     y = x * 2
        >>> y.requires_grad, y.is_inference()
        (False, True)
        """

        _mask = _RECORDS | _INFERENCE

        def __new__(cls, mode=True):
            block = object.__new__(cls)
            if callable(mode) or isinstance(mode, (staticmethod, classmethod)):
                block._bits = _INFERENCE
                return block(mode)
            is_on = flag("inference_mode", "mode", mode)
            block._bits = _INFERENCE if is_on else _RECORDS
            return block


class set_grad_enabled(_engine._SettingBlock, GradMode):
    """Set grad mode at once; used with `with`, put it back afterwards.

    As a call it sets the mode of the block around it, until that ends; outside of all blocks, that
    of the thread or asyncio task. As a decorator it sets the mode of each call, and none at once.

    Args:
        mode: True records ops, False does not.

    Raises:
        TypeError: `mode` is not True or False; or what is decorated is a class, or cannot be
            called.

    >>> with gb.set_grad_enabled(False):
    ...     gb.is_grad_enabled()
    False
    >>> gb.is_grad_enabled()
    True
    """

    _decorate = GradMode.__call__

    if TYPE_CHECKING:  # in C, which takes back what the call has set

        def __call__(self, function: _F) -> _F: ...

    def __new__(cls, mode: bool) -> set_grad_enabled:
        block = object.__new__(cls)
        block._bits = int(flag("set_grad_enabled", "mode", mode))
        return block

    def __getnewargs__(self) -> tuple[bool]:
        return (bool(self._bits),)
