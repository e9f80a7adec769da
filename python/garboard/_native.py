"""Completes the native types with what is better said in Python."""

from collections.abc import Callable
from typing import Any

__all__ = ["add_methods"]


def add_methods(native: type, methods: dict[str, Callable[..., Any]]) -> None:
    """Set each of `methods` on a type of the engine, under its key."""
    for name, method in methods.items():
        setattr(native, name, method)
