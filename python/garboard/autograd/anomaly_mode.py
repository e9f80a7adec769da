"""Finding the op whose gradient is NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from garboard import _engine
from garboard._arguments.check import flag
from garboard._contexts.decorating import decorated

__all__ = ["detect_anomaly", "set_detect_anomaly"]

_F = TypeVar("_F", bound=Callable[..., Any])
_FINDS_NAN = 8  # as in csrc/tensor/grad_mode.h


class detect_anomaly(_engine._GradBlock):
    """Look for NaN in what each op's gradient rule gives, in backward passes inside a block.

    A GradientError names the op and the line that called it, which is known in any case: the
    forward pass need not run inside. Each gradient is looked at, which takes about as long as
    computing it; it belongs to a thread and asyncio task, as grad mode does.

    Args:
        check_nan: False looks at nothing.

    Raises:
        TypeError: `check_nan` is neither True nor False.

    >>> x = gb.zeros(1, requires_grad=True)
    >>> y = (x / x).sum()
    >>> with gb.autograd.detect_anomaly():
    ...     try:
    ...         y.backward()
    ...     except gb.GradientError as error:
    ...         print(str(error).partition(";")[0])
    backward: the gradient of div for its input 1 has NaN
    """

    _mask = _FINDS_NAN

    def __init__(self, check_nan: bool = True) -> None:
        self._bits = _FINDS_NAN if flag("detect_anomaly", "check_nan", check_nan) else 0

    def __call__(self, function: _F) -> _F:
        """Run each call of `function` in such a block."""
        in_block: _F = decorated(self, function)
        return in_block


class set_detect_anomaly(_engine._SettingBlock):
    """Look for NaN from now on, or no longer; used with `with`, as before afterwards.

    Args:
        mode: Whether to look; see `detect_anomaly`.
        check_nan: False looks at nothing.

    Raises:
        TypeError: An argument is neither True nor False.

    >>> with gb.autograd.set_detect_anomaly(True):
    ...     x = gb.ones(1, requires_grad=True)
    ...     (x * 2).backward()
    >>> x.grad
    tensor([2.])
    """

    _mask = _FINDS_NAN
    _decorate = detect_anomaly.__call__

    def __new__(cls, mode: bool, check_nan: bool = True) -> set_detect_anomaly:
        op = "set_detect_anomaly"
        block = object.__new__(cls)
        is_on = flag(op, "mode", mode) and flag(op, "check_nan", check_nan)
        block._bits = _FINDS_NAN if is_on else 0
        return block

    def __getnewargs__(self) -> tuple[bool]:
        return (bool(self._bits),)
