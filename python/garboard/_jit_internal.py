"""What layers of programs take from the inside of TorchScript: marks, which mean nothing here."""

from __future__ import annotations

from collections.abc import Callable
from typing import (  # noqa: UP035
    Any,
    Dict,  # noqa: F401
    Final,  # noqa: F401
    List,  # noqa: F401
    Optional,  # noqa: F401
    Tuple,  # noqa: F401
    TypeVar,
    Union,  # noqa: F401
)

from garboard.jit import BroadcastingList1 as BroadcastingList1
from garboard.jit import BroadcastingList2 as BroadcastingList2
from garboard.jit import BroadcastingList3 as BroadcastingList3
from garboard.jit import _overload as _overload
from garboard.jit import _overload_method as _overload_method
from garboard.jit import export, ignore, is_scripting, unused

__all__ = ["boolean_dispatch", "export", "ignore", "is_scripting", "unused"]

_F = TypeVar("_F", bound=Callable[..., Any])


def _copy_to_script_wrapper(fn: _F) -> _F:
    """A method that PyTorch's compiler would also give to what it makes of a module."""
    return fn


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str = "",
    func_name: str = "",
) -> Callable[..., Any]:
    """Return a function that calls one of two, as an argument says.

    Args:
        arg_name: The argument's name.
        arg_index: Its place.
        default: What it is where it is not given.
        if_true: Called where it is true.
        if_false: Called where it is not.
        module_name: Ignored.
        func_name: Ignored.
    """

    def dispatched(*given: Any, **named: Any) -> Any:
        said = given[arg_index] if arg_index < len(given) else named.get(arg_name, default)
        return (if_true if said else if_false)(*given, **named)

    return dispatched
