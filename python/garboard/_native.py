"""Completes the native types with what is better said in Python."""

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["add_methods"]


def add_methods(native: type, methods: Mapping[str, Callable[..., Any] | property]) -> None:
    """Set each of `methods`, or properties, on a type of the engine, under its key."""
    for name, method in methods.items():
        setattr(native, name, method)
