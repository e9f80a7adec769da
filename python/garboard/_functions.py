"""Functions made of ops, grad mode, and which names of the engine are public."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

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

    >>> import garboard as gb
    >>> x = gb.ones(2, requires_grad=True)
    >>> with gb.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    _enabled = False


class enable_grad(_GradMode):
    """Record ops, inside a `no_grad` block too."""

    _enabled = True


class set_grad_enabled(_GradMode):
    """Set grad mode at once; used with `with`, put it back afterwards."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self._enabled = mode
        self._before.append(_engine._set_grad_enabled(mode))

    def __enter__(self) -> None:
        """Grad mode has been set already."""


def is_tensor(obj: object) -> bool:
    """Tell whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)


def equal(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same sizes and elements.

    >>> import garboard as gb
    >>> gb.equal(gb.arange(3), gb.tensor([0, 1, 2]))
    True
    """
    if input.shape != other.shape:
        return False
    with _engine.DisposeScope("equal"):
        return bool((input == other).all())


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Tell whether |input - other| <= atol + rtol * |other| everywhere; sizes broadcast."""
    with no_grad(), _engine.DisposeScope("allclose"):
        near = (input - other).abs() <= other.abs() * rtol + atol
        near |= input == other  # infinities of one sign
        if equal_nan:
            near |= _engine.isnan(input) & _engine.isnan(other)
        return bool(near.all())
