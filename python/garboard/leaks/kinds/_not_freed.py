"""An object whose end was declared still lives.

    watch.expect_freed(validation_model, "validation is over")

Evidence: the object, after the garbage collector has run, and the way from a root to it.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="not-freed",
    family="ALIVE",
    text=__doc__ or "",
    fix="let go of it in {name}",
)
