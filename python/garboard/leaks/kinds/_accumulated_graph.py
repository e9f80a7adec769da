"""A sum of losses links the graphs of all steps.

`total += loss` makes `total` part of the graph of every loss it has seen. Backward frees what those
graphs saved, and their nodes stay; where no backward runs, as in a validation loop, everything
stays.

    total += loss           # leaks
    total += loss.item()    # keeps a number

Evidence: graph nodes of many finished steps behind one tensor that a variable holds, joined by
arithmetic alone. LEAK at the second look after a backward pass, at the fifth without one.
"""

from __future__ import annotations

from garboard.leaks.evidence._graphs import Chain
from garboard.leaks.findings._fixes import Accumulating
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group

__all__ = ["KIND"]


def _fits(chain: Chain, owner: Group | None) -> bool:
    return True


def _ending(sum_: Accumulating) -> str:
    return "item" if sum_.is_scalar and sum_.is_augmented else "detach"


def _fix(sum_: Accumulating) -> str:
    return sum_.with_ending(_ending(sum_)) or (
        f"add numbers to {sum_.name}: what .item() gives, or .detach()"
    )


KIND = Kind(
    name="accumulated-graph",
    family="GRAPH",
    text=__doc__ or "",
    rank=170,
    fits_graph=_fits,
    fix_graph=_fix,
    patch_graph=lambda sum_: sum_.patch(_ending(sum_)),
)
