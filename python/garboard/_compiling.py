"""`compile`, which programs call and which has nothing to do here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar
from warnings import warn

from garboard import _check as check

if TYPE_CHECKING:
    from garboard.nn.module import Module

__all__ = ["compile"]

_F = TypeVar("_F", bound="Callable[..., Any] | Module")
_warned = False


def compile(model: _F | None = None, **options: object) -> Any:
    """Return `model` as it is, with one warning: ops run as they are called.

    Args:
        model: A function or a module; without it a decorator is returned.
        **options: Ignored.

    Returns:
        What was given, or a decorator that returns it.

    Raises:
        TypeError: `model` cannot be called.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     gb.compile(len) is len
    True
    """
    global _warned
    if model is not None:
        check.function("compile", "model", model)
    if not _warned:
        _warned = True
        warn("compile: ops run as they are called, so nothing is compiled", stacklevel=2)
    return compile if model is None else model
