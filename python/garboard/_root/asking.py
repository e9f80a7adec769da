"""What programs ask of types, and of what is switched on."""

from __future__ import annotations

from collections.abc import Callable

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._engine import Storage, Tensor
from garboard.autograd.anomaly_mode import set_detect_anomaly
from garboard.storage import TypedStorage

__all__ = [
    "_assert",
    "_assert_async",
    "_check",
    "_check_index",
    "_check_not_implemented",
    "_check_tensor_all",
    "_check_type",
    "_check_value",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_storage",
    "set_anomaly_enabled",
    "typename",
]

_FINDS_NAN = 8  # as in csrc/tensor/grad_mode.h


def typename(obj: object) -> str:
    """Return the name of an object's type, with its module where that is not Python's.

    A tensor's is the one of its dtype, as `type()` of a tensor says it.

    Args:
        obj: Anything.

    Returns:
        A string.

    >>> gb.typename(gb.ones(1)), gb.typename(3), gb.typename(gb.nn.ReLU())
    ('garboard.FloatTensor', 'int', 'garboard.nn._activations.activations.ReLU')
    """
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = type(obj)
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def is_storage(obj: object) -> bool:
    """Tell whether an object is the storage of tensors.

    Args:
        obj: Anything.

    Returns:
        A bool.

    >>> gb.is_storage(gb.ones(1).storage()), gb.is_storage(gb.ones(1))
    (True, False)
    """
    return isinstance(obj, (Storage, TypedStorage))


def _assert(condition: object, message: object) -> None:
    """Raise AssertionError unless a condition holds."""
    if not condition:
        raise AssertionError(message)


def _assert_async(input: Tensor, assert_msg: str = "") -> None:
    """Raise RuntimeError where the one element of a tensor is 0 or False: at once."""
    if not input.item():
        raise RuntimeError(assert_msg or "_assert_async: an element that is 0; another is needed")


def _checking(kind: type[Exception]) -> Callable[..., None]:
    def checking(cond: bool, message: object = None) -> None:
        """Raise unless a condition holds; the message may be a function that makes it."""
        if not isinstance(cond, bool):
            raise TypeError(f"check: a condition of type {type(cond).__name__}; a bool is needed")
        if not cond:
            raise kind(str(message() if callable(message) else message or "a check has failed"))

    return checking


_check = _checking(RuntimeError)
_check_index = _checking(IndexError)
_check_value = _checking(ValueError)
_check_type = _checking(TypeError)
_check_not_implemented = _checking(NotImplementedError)


def _check_tensor_all(cond: Tensor, message: object = None) -> None:
    """Raise RuntimeError unless all elements are True."""
    _check(bool(check.tensor("_check_tensor_all", "cond", cond).all()), message)


def is_anomaly_enabled() -> bool:
    """Tell whether backward passes look for NaN here and now."""
    return bool(_engine._grad_mode() & _FINDS_NAN)


def is_anomaly_check_nan_enabled() -> bool:
    """Tell whether backward passes look for NaN here and now."""
    return is_anomaly_enabled()


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Look for NaN in backward passes from now on, or no longer."""
    set_detect_anomaly(check.flag("set_anomaly_enabled", "enabled", enabled), check_nan)


all_overridable(globals(), "_assert")
