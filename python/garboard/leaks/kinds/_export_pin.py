"""An array, capsule or buffer outside the library keeps a tensor's memory.

    arrays.append(tensor.numpy())           # leaks: the array shares the memory
    arrays.append(tensor.numpy().copy())    # owns its own

Evidence: an array or a capsule is on the way; or storages that are exported to DLPack or a buffer,
of nearly every step, to which no tensor of Python's leads.
"""

from __future__ import annotations

from typing import Any

from garboard.leaks.evidence._classes import loaded_class
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import objects_of
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._unasked import is_a, is_object_array, type_name

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    return any(map(_shares_memory, objects_of(group)))


def _shares_memory(thing: Any) -> bool:
    """Tell whether a thing is a capsule, or an array over memory and not of objects."""
    array = loaded_class("numpy", "ndarray")
    if array is not None and is_a(thing, array):
        return not is_object_array(thing)
    return type_name(type(thing)) == "PyCapsule"


KIND = Kind(
    name="export-pin",
    family="EXPORT",
    text=__doc__ or "",
    rank=35,
    fits=_fits,
    fix="drop the array, capsule or buffer after use, or keep a copy of it",
    holder="an array, capsule or buffer",
)
