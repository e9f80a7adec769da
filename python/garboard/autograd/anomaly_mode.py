"""Finding the op whose gradient is NaN."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments.check import flag

__all__ = ["detect_anomaly", "set_detect_anomaly"]

_FINDS_NAN = 8  # as in csrc/tensor/grad_mode.h


class _Block(_engine._GradBlock):
    _mask = _FINDS_NAN

    def __init__(self, is_on: bool) -> None:
        self._bits = _FINDS_NAN if is_on else 0


class detect_anomaly(_Block):
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

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(flag("detect_anomaly", "check_nan", check_nan))


class set_detect_anomaly(_Block):
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

    _of_call = 1  # the number of the block that a call enters; it is never left

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        op = "set_detect_anomaly"
        super().__init__(flag(op, "mode", mode) and flag(op, "check_nan", check_nan))
        self._before = _engine._grad_mode() & _FINDS_NAN
        self._set(self._bits)

    def _set(self, bits: int) -> None:
        _engine._leave_grad_mode(self._of_call)
        _engine._enter_grad_mode(self._of_call, _FINDS_NAN, bits)

    def __enter__(self) -> None:
        self._set(self._before)
        super().__enter__()
