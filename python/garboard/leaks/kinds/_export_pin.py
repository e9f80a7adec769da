"""An array, capsule or buffer outside the library keeps a tensor's memory.

    arrays.append(tensor.numpy())           # leaks: the array shares the memory
    arrays.append(tensor.numpy().copy())    # owns its own

Evidence: an array is on the way; or storages that are exported to DLPack or a buffer, of nearly
every step, to which no tensor of Python's leads.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import passes_loaded

__all__ = ["KIND"]

KIND = Kind(
    name="export-pin",
    family="EXPORT",
    text=__doc__ or "",
    rank=35,
    fits=lambda group: passes_loaded(group, ("numpy", "ndarray")),
    fix="drop the array, capsule or buffer after use, or keep a copy of it",
    holder="an array, capsule or buffer",
)
