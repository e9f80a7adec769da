"""What programs ask of types, and of what is switched on."""

from __future__ import annotations

from functools import partial

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
    "_check_is_size",
    "_check_not_implemented",
    "_check_tensor_all",
    "_check_tensor_all_with",
    "_check_type",
    "_check_value",
    "_check_with",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_storage",
    "set_anomaly_enabled",
    "typename",
]

_FINDS_NAN = 8  # as in csrc/tensor/grad_mode.h


def typename(obj: object) -> str:
    """Return the name of an object's type, with its module where that is not Python's.

    A tensor's is the one of its dtype, as `type()` of a tensor says it. What has a name itself, a
    class, a function, a module, is told by that.

    Args:
        obj: Anything.

    Returns:
        A string.

    >>> gb.typename(gb.ones(1)), gb.typename(3), gb.typename(gb.nn.ReLU())
    ('garboard.FloatTensor', 'int', 'garboard.nn._activations.activations.ReLU')
    """
    if isinstance(obj, Tensor):
        return str(obj.type())
    named = obj if hasattr(obj, "__qualname__") or hasattr(obj, "__name__") else type(obj)
    name = getattr(named, "__qualname__", None) or getattr(named, "__name__", "")
    module = getattr(named, "__module__", None)
    return f"{name}" if module in (None, "", "builtins") else f"{module}.{name}"


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


def _check_with(error_type: type[Exception], cond: bool, message: object = None) -> None:
    """Raise an error of a type unless a condition holds; a function may make the message."""
    if not (isinstance(error_type, type) and issubclass(error_type, Exception)):
        raise TypeError(
            "check: error_type is no class of errors; a class made of Exception is needed"
        )
    if not isinstance(cond, bool):
        raise TypeError(f"check: a condition of type {type(cond).__name__}; a bool is needed")
    if not cond:
        raise error_type(str(message() if callable(message) else message or "a check has failed"))


_check = partial(_check_with, RuntimeError)
_check_index = partial(_check_with, IndexError)
_check_value = partial(_check_with, ValueError)
_check_type = partial(_check_with, TypeError)
_check_not_implemented = partial(_check_with, NotImplementedError)


def _check_is_size(i: int, message: object = None, *, max: int | None = None) -> None:
    """Raise RuntimeError where an integer is below 0, or above a bound."""
    size = check.integer("_check_is_size", "i", i)
    bound = size if max is None else check.integer("_check_is_size", "max", max)
    _check(0 <= size <= bound, message)


def _check_tensor_all_with(
    error_type: type[Exception], cond: Tensor, message: object = None
) -> None:
    """Raise an error of a type unless all elements are True."""
    given = check.tensor("_check_tensor_all", "cond", cond)
    if given.dtype is not _engine.bool:
        raise TypeError(f"_check_tensor_all: cond of dtype {given.dtype}; bool is needed")
    _check_with(error_type, bool(given.all()), message)


_check_tensor_all = partial(_check_tensor_all_with, RuntimeError)


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
