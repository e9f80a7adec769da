"""Ops by their names: `ops.namespace.name` is what `garboard.library` was given under it.

`ops.aten` are the functions of the root, of `nn.functional` and of tensors, by PyTorch's names, and
those of `linalg`, `fft` and `special`, as `linalg_inv` and `fft_rfft`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NoReturn

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard.library._ops import CustomOpDef
from garboard.library._ops import ops as _ops

__all__ = ["load_library"]

_PREFIXES = ("fft", "linalg", "special")  # packages, whose ops PyTorch names with theirs in front
loaded_libraries: set[str] = set()  # none ever is


def load_library(path: str) -> NoReturn:
    """Refuse to load a library: what is compiled against PyTorch calls PyTorch.

    Args:
        path: Where it is.

    Raises:
        OSError: Always, as where there is no such file.
        TypeError: It is no path.

    >>> try:
    ...     gb.ops.load_library("library.so")
    ... except OSError as error:
    ...     print(str(error).partition(":")[0])
    load_library
    """
    given = check.path("load_library", "path", path)
    raise OSError(f"load_library: {shown(str(given))} is compiled against PyTorch; leave it out")


class _Namespace(ModuleType):
    """The ops of a namespace; asking for one that is not there raises AttributeError."""

    def __getattr__(self, name: str) -> CustomOpDef:
        if not name.startswith("__") and f"{self.__name__}::{name}" in _ops:
            return _ops[f"{self.__name__}::{name}"]
        space = self.__name__
        text = f"'ops.{space}' has no attribute {shown(name)}: no op is called '{space}::{name}'"
        raise AttributeError(text, name=name)


class _Function(CustomOpDef):
    """A function of garboard's as an op: its overloads are itself, whatever their names."""

    def __repr__(self) -> str:
        return self._qualname.replace("::", ".")

    def __getattr__(self, name: str) -> _Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return self


class _Aten(_Namespace):
    def __getattr__(self, name: str) -> CustomOpDef:
        import garboard
        from garboard._root import aten as beneath
        from garboard.nn import functional

        package, _, within = name.partition("_")
        homes: list[tuple[Any, str]] = [
            (home, name) for home in (garboard, functional, garboard.Tensor, beneath)
        ]
        if package in _PREFIXES:
            homes.append((getattr(garboard, package), within))
        for home, it in homes:
            found = None if it.startswith("__") else getattr(home, it, None)
            if callable(found):
                op = _Function(f"aten::{name}")
                op.register_kernel(None, found)
                setattr(self, name, op)
                return op
        return super().__getattr__(name)


aten: _Aten = _Aten("aten")
_spaces: dict[str, _Namespace] = {}


def __getattr__(name: str) -> _Namespace:
    """A namespace is there whether anything is in it or not."""
    if name.startswith("__"):
        raise AttributeError(f"module 'garboard.ops' has no attribute {shown(name)}", name=name)
    if name not in _spaces:
        _spaces[name] = _Namespace(name)
    return _spaces[name]
