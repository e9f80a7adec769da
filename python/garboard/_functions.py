"""Functions made of ops, grad mode, and which names of the engine are public."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from garboard import _check as check
from garboard import _engine
from garboard._engine import Tensor

__all__ = [
    "DTYPES",
    "OPS",
    "allclose",
    "enable_grad",
    "equal",
    "is_tensor",
    "no_grad",
    "set_grad_enabled",
]

DTYPES = ("bool", "uint8", "int32", "int64", "float32", "float64")
OPS = tuple(sorted({row[0] for row in _engine._op_table() if not row[4] and row[0][0] != "_"}))

_F = TypeVar("_F", bound=Callable[..., Any])


class _GradMode:
    """Set grad mode for a block, or for each call of a decorated function."""

    _enabled: bool

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(_engine._set_grad_enabled(self._enabled))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _engine._set_grad_enabled(self._before.pop())

    def __call__(self, function: _F) -> _F:
        from functools import wraps

        @wraps(function)
        def with_mode(*arguments: Any, **named: Any) -> Any:
            before = _engine._set_grad_enabled(self._enabled)
            try:
                return function(*arguments, **named)
            finally:
                _engine._set_grad_enabled(before)

        return with_mode  # type: ignore[return-value]


class no_grad(_GradMode):
    """Do not record ops, in a block or a decorated function.

    What they compute asks for no gradient and keeps no graph alive. Grad mode is the thread's own.

    >>> x = gb.ones(2, requires_grad=True)
    >>> with gb.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    _enabled = False


class enable_grad(_GradMode):
    """Record ops, in a block or a decorated function, inside a `no_grad` block too.

    >>> x = gb.ones(2, requires_grad=True)
    >>> with gb.no_grad(), gb.enable_grad():
    ...     (x * 2).requires_grad
    True
    """

    _enabled = True


class set_grad_enabled(_GradMode):
    """Set grad mode at once; used with `with`, put it back afterwards.

    Args:
        mode: True records ops on this thread, False does not.

    >>> with gb.set_grad_enabled(False):
    ...     gb.is_grad_enabled()
    False
    >>> gb.is_grad_enabled()
    True
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self._enabled = mode
        self._before.append(_engine._set_grad_enabled(mode))

    def __enter__(self) -> None:
        """Grad mode has been set already."""


def is_tensor(obj: object) -> bool:
    """Tell whether `obj` is a Tensor.

    Returns:
        A bool; True for a disposed one too.

    >>> gb.is_tensor(gb.ones(2)), gb.is_tensor(2)
    (True, False)
    """
    return isinstance(obj, Tensor)


def equal(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same sizes and elements.

    Args:
        input: Tensor of any shape and dtype.
        other: Tensor on the same device; its dtype is promoted with `input`'s.

    Returns:
        A bool. NaN equals nothing.

    Raises:
        DeviceError: The tensors are on two devices.
        DisposedError: A tensor is disposed.

    >>> gb.equal(gb.arange(3), gb.tensor([0, 1, 2]))
    True
    """
    check.tensor("equal", "input", input)
    if input.shape != check.tensor("equal", "other", other).shape:
        return False
    with _engine.DisposeScope("equal"):
        return bool((input == other).all())


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Tell whether |input - other| <= atol + rtol * |other| everywhere.

    Args:
        input: Tensor of any shape.
        other: Tensor whose sizes broadcast with `input`'s.
        rtol: How far apart elements may be, as a share of `other`'s.
        atol: How far apart they may be besides.
        equal_nan: True takes NaN for equal to NaN.

    Returns:
        A bool. Infinities of one sign are close.

    Raises:
        ShapeError: The sizes do not broadcast.
        DTypeError: Both are bool.
        DeviceError: The tensors are on two devices.
        DisposedError: A tensor is disposed.

    >>> gb.allclose(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 2.00001]))
    True
    """
    check.tensor("allclose", "input", input)
    check.tensor("allclose", "other", other)
    check.real("allclose", "rtol", rtol)
    check.real("allclose", "atol", atol)
    with no_grad(), _engine.DisposeScope("allclose"):
        near = (input - other).abs() <= other.abs() * rtol + atol
        near |= input == other  # infinities of one sign
        if equal_nan:
            near |= _engine.isnan(input) & _engine.isnan(other)
        return bool(near.all())
