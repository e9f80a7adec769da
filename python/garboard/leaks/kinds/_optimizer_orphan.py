"""An optimizer outlives its model, and keeps the parameters and their state.

    runs.append(opt)        # leaks: the weights and two moments of each
    del opt                 # with its model, or opt.dispose()

Evidence: an optimizer is on the way from a root to the parameters.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import passes_one

__all__ = ["KIND"]

KIND = Kind(
    name="optimizer-orphan",
    family="OPT",
    text=__doc__ or "",
    rank=20,
    fits=lambda group: passes_one(group, "optimizer"),
    fix="drop the optimizer together with its model, or optimizer.dispose() it",
)
