"""What a compiled module shows as `_orig_mod`: itself once more, and there no such name.

PyTorch wraps a module that it compiles, where `compile` here changes it. Programs unwrap for as
long as there is an `_orig_mod`: in one that is its own they would go on forever.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast
from weakref import finalize, ref

from garboard.nn._module._registered import lend_views
from garboard.nn._module._tree import Tree

__all__ = ["is_uncompiled", "uncompiled"]

_M = TypeVar("_M", bound=Tree)

# By ids of what lives, for a class may have an `__eq__` of its own.
_known: set[int] = set()
_twins: dict[int, ref[Any]] = {}  # by the module's id


def uncompiled(module: _M) -> _M:
    """Return another object of a module's class that has all it has, and gets all it gets.

    The two have one `__dict__`, so that it is no copy; each lives without the other. It is the same
    one for as long as somebody has it.
    """
    number = id(module)
    known = _twins.get(number)
    if known is not None and (twin := known()) is not None:
        return cast("_M", twin)
    if known is None:
        finalize(module, _take_over, number).atexit = False
    made = type(module).__new__(type(module))
    object.__setattr__(made, "__dict__", vars(module))
    _twins[number] = ref(made)
    _known.add(id(made))
    finalize(made, _known.discard, id(made)).atexit = False
    return made


def is_uncompiled(module: Tree) -> bool:
    """Tell whether a module is what `uncompiled` returned."""
    return id(module) in _known


def _take_over(number: int) -> None:
    """Have the views, which know a module weakly, know the one that is left."""
    twin = _twins.pop(number)()
    if twin is not None:
        lend_views(twin)
