"""Where PyTorch's users look for saving and loading; what is said of classes is heard.

`load` runs no code of a file, so there is nothing to allow: a file that needs a class of a
program's is refused, whatever the lists here say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard.io import load, save

__all__ = [
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "load",
    "safe_globals",
    "save",
]

_Named = type | Callable[..., object] | tuple[object, str]


def add_safe_globals(safe_globals: Sequence[_Named]) -> None:
    """Hear which classes a program trusts; `load` makes none of them.

    Args:
        safe_globals: Ignored.

    >>> gb.serialization.add_safe_globals([set])
    """


def clear_safe_globals() -> None:
    """Forget nothing: no class was kept.

    >>> gb.serialization.clear_safe_globals()
    """


def get_safe_globals() -> list[_Named]:
    """Return an empty list: `load` makes no class of a program's.

    >>> gb.serialization.get_safe_globals()
    []
    """
    return []


def safe_globals(safe_globals: Sequence[_Named]) -> AbstractContextManager[None]:
    """Open a block that changes nothing: `load` makes no class of a program's.

    Args:
        safe_globals: Ignored.

    Returns:
        A context manager.

    >>> with gb.serialization.safe_globals([set]):
    ...     gb.serialization.get_safe_globals()
    []
    """
    return nullcontext()


if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
