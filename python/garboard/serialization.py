"""Where PyTorch's users look for saving and loading, and what they call safe to be loaded.

`load` makes objects of a pickled class where the file is trusted, or where the class stands in the
list here: for files that `gb.save` wrote. Of PyTorch's own files no class is ever made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments.texts import shown
from garboard._contexts.blocks import block
from garboard._names.missing import module_getattr
from garboard.io import load, save
from garboard.io._pickles import SAFE
from garboard.io._rebuilding import _get_layout

__all__ = [
    "_get_layout",
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "load",
    "safe_globals",
    "save",
]

# What programs pass on as `pickle_protocol`.
DEFAULT_PROTOCOL = 2
# What annotations of programs call the ways to say where what is loaded goes.
MAP_LOCATION = Callable[[object, str], object] | _engine.device | str | dict[str, str] | None

_Named = type | Callable[..., object] | tuple[object, str]


def _by_name(op: str, given: Sequence[_Named]) -> dict[str, object]:
    found: dict[str, object] = {}
    for it in given:
        named: Any = it
        if isinstance(it, tuple) and len(it) == 2 and isinstance(it[1], str):
            found[it[1]] = it[0]
        elif hasattr(named, "__qualname__") and hasattr(named, "__module__"):
            found[f"{named.__module__}.{named.__qualname__}"] = named
        else:
            raise TypeError(
                f"{op}: {shown(it)}; a class, a function, or a pair of one and its name"
            )
    return found


def add_safe_globals(safe_globals: Sequence[_Named]) -> None:
    """Let `load` make objects of these classes, and call these functions, for any file.

    Args:
        safe_globals: Classes and functions, or pairs of one and the name that files have for it.

    Raises:
        TypeError: Something that is neither.

    >>> gb.serialization.add_safe_globals([set])
    >>> gb.serialization.get_safe_globals()
    [<class 'set'>]
    >>> gb.serialization.clear_safe_globals()
    """
    SAFE.update(_by_name("add_safe_globals", safe_globals))


def clear_safe_globals() -> None:
    """Take all classes and functions off the list.

    >>> gb.serialization.clear_safe_globals()
    """
    SAFE.clear()


def get_safe_globals() -> list[object]:
    """Return the classes and functions on the list.

    >>> gb.serialization.get_safe_globals()
    []
    """
    return list(SAFE.values())


def normalize_storage_type(storage_type: type) -> type:
    """Return the class of storages that programs which write files of their own name in them.

    Args:
        storage_type: The class of a storage.

    Returns:
        That class: there is one, of bytes.

    Raises:
        TypeError: A class of other things.

    >>> storage = gb.ones(2).untyped_storage()
    >>> gb.serialization.normalize_storage_type(type(storage)) is gb.UntypedStorage
    True
    """
    if not isinstance(storage_type, type) or not issubclass(storage_type, _engine.Storage):
        raise TypeError(
            f"normalize_storage_type: storage_type is {shown(storage_type)}; the class of a "
            "storage is needed"
        )
    return storage_type


def _set_safe(names: dict[str, object]) -> None:
    SAFE.clear()
    SAFE.update(names)


@block
def safe_globals(safe_globals: Sequence[_Named]) -> Iterator[None]:
    """Open a block in which these stand on the list.

    Args:
        safe_globals: As for `add_safe_globals`.

    Raises:
        TypeError: Something that is neither a class nor a function.

    Returns:
        A context manager.

    >>> import io
    >>> file = io.BytesIO()
    >>> gb.save(gb.nn.ReLU(), file)
    >>> _ = file.seek(0)
    >>> with gb.serialization.safe_globals([gb.nn.ReLU]):
    ...     gb.load(file)
    ReLU()
    """
    before = dict(SAFE)
    try:
        add_safe_globals(safe_globals)
        yield
    finally:
        _engine._put_back(_set_safe, before)


if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
