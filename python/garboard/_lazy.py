"""Submodules that are imported when they are first named."""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType

__all__ = ["lazy_submodules"]


def lazy_submodules(package: str, names: tuple[str, ...]) -> Callable[[str], ModuleType]:
    """Return a module `__getattr__` that imports `package.name` for each of `names`."""

    def submodule(name: str) -> ModuleType:
        if name in names:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return submodule
