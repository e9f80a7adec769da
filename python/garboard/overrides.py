"""What PyTorch's programs ask of classes that stand in for tensors.

Functions of the engine take Tensors and subclasses of Tensor. Where they refuse what they are
given, a class with a `__torch_function__` takes the call over; functions written in Python here
ask no class, so whoever asks whether one does hears that there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from garboard._engine import Tensor
from garboard._names.missing import module_getattr

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "get_ignored_functions",
    "get_overridable_functions",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "wrap_torch_function",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_R = TypeVar("_R")


class TorchFunctionMode:
    """A block that would take over all calls: programs may define one, and none is entered.

    >>> with gb.overrides.TorchFunctionMode():
    ...     gb.zeros(1)
    Traceback (most recent call last):
    NotImplementedError: TorchFunctionMode: no block takes calls over; call what is meant yourself
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call the function, which is what a mode does that has no say of its own."""
        return func(*args, **(kwargs or {}))

    def __enter__(self) -> NoReturn:
        raise NotImplementedError(
            f"{type(self).__name__}: no block takes calls over; call what is meant yourself"
        )

    def __exit__(self, *error: object) -> None:
        """Never reached."""


BaseTorchFunctionMode = TorchFunctionMode


def is_tensor_like(inp: object) -> bool:
    """Tell whether something is a Tensor, or says that it stands in for one.

    Args:
        inp: Anything.

    Returns:
        A bool.

    >>> gb.overrides.is_tensor_like(gb.ones(1)), gb.overrides.is_tensor_like(1.0)
    (True, False)
    """
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def is_tensor_method_or_property(func: Callable[..., object]) -> bool:
    """Tell whether a function is a method of tensors.

    Args:
        func: Any function.

    Returns:
        A bool.

    >>> gb.overrides.is_tensor_method_or_property(gb.Tensor.exp)
    True
    """
    name = getattr(func, "__name__", "")
    return getattr(Tensor, name, None) is func


def has_torch_function(relevant_args: Iterable[object]) -> bool:
    """Return False: no class takes a call over.

    Args:
        relevant_args: What the function was called with.

    >>> gb.overrides.has_torch_function((gb.ones(1),))
    False
    """
    return False


def handle_torch_function(
    public_api: Callable[..., _R], relevant_args: Iterable[object], *args: Any, **kwargs: Any
) -> _R:
    """Call a function: no class takes the call over.

    Args:
        public_api: The function.
        relevant_args: Ignored.
        args: What it is called with.
        kwargs: Likewise.

    Returns:
        What it returns.

    >>> gb.overrides.handle_torch_function(gb.exp, (), gb.zeros(1))
    tensor([1.])
    """
    return public_api(*args, **kwargs)


def wrap_torch_function(dispatcher: Callable[..., object]) -> Callable[[_F], _F]:
    """Return a decorator that changes nothing: no class takes a call over.

    Args:
        dispatcher: Ignored.

    Returns:
        The decorator.

    >>> gb.overrides.wrap_torch_function(lambda x: (x,))(len)([1])
    1
    """
    return lambda func: func


def get_ignored_functions() -> set[Callable[..., object]]:
    """Return an empty set: no class takes a call over, so none is left out.

    >>> gb.overrides.get_ignored_functions()
    set()
    """
    return set()


def get_overridable_functions() -> dict[object, list[Callable[..., object]]]:
    """Return an empty dict: no class takes a call over.

    >>> gb.overrides.get_overridable_functions()
    {}
    """
    return {}


def _has_none(*given: object) -> bool:
    return False


has_torch_function_unary: Callable[..., bool] = _has_none
has_torch_function_variadic: Callable[..., bool] = _has_none

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
