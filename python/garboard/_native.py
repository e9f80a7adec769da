"""Completes the native types with what is better said in Python."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["add_methods", "add_methods_later"]


_added: dict[tuple[type, str], Any] = {}


def add_methods(native: type, methods: Mapping[str, Callable[..., Any] | property]) -> None:
    """Set each of `methods`, or properties, on a type of the engine, under its key."""
    for name, method in methods.items():
        _added[native, name] = method
        setattr(native, name, method)


class _Waiting:
    """A method whose module is imported when it is first asked for, and puts it in this place."""

    def __init__(self, native: type, name: str, module: str) -> None:
        self._native, self._name, self._module = native, name, module

    def __get__(self, instance: Any, owner: type) -> Any:
        import_module(self._module)
        if vars(self._native)[self._name] is self:  # back again: somebody replaced it for a while
            setattr(self._native, self._name, _added[self._native, self._name])
        return getattr(owner if instance is None else instance, self._name)


def add_methods_later(native: type, homes: Mapping[str, str]) -> None:
    """Set methods that few programs call: each key is a module that adds those named behind it."""
    for module, names in homes.items():
        for name in names.split():
            setattr(native, name, _Waiting(native, name, module))
