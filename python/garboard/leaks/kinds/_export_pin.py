"""An array, capsule or buffer outside the library keeps a tensor's memory.

    arrays.append(tensor.numpy())           # leaks: the array shares the memory
    arrays.append(tensor.numpy().copy())    # owns its own

Evidence: an array or a capsule is on the way; or storages that are exported to DLPack or a buffer,
of nearly every step, to which no tensor of Python's leads.
"""

from __future__ import annotations

from typing import Any

from garboard.leaks.evidence._classes import loaded_class
from garboard.leaks.findings._fixes import whole_stored_as
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import objects_of
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._patches import NO_PATCH
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


def _is_list_of_arrays(group: Group) -> bool:
    array, at = loaded_class("numpy", "ndarray"), group.at + 1
    return array is not None and at < len(group.chain) and is_a(group.chain[at].object, array)


def _fix(group: Group) -> str:
    statement = whole_stored_as(group, "copy")[0] if _is_list_of_arrays(group) else None
    return statement or KIND.fix


KIND = Kind(
    name="export-pin",
    family="EXPORT",
    text=__doc__ or "",
    rank=35,
    fits=_fits,
    fix="drop the array, capsule or buffer after use, or keep a copy of it",
    fix_group=_fix,
    patch_group=lambda it: whole_stored_as(it, "copy")[1] if _is_list_of_arrays(it) else NO_PATCH,
    holder="an array, capsule or buffer",
)
