"""A running mean in an attribute or a buffer is updated with its history.

    self.ema = 0.9 * self.ema + 0.1 * loss             # leaks
    self.ema = 0.9 * self.ema + 0.1 * loss.detach()    # keeps a value

Evidence: as for accumulated-graph, and what holds the sum is an attribute, a buffer or an item of
an object instead of a variable.
"""

from __future__ import annotations

from garboard.leaks.evidence._graphs import Chain
from garboard.leaks.findings._fixes import Accumulating
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group

__all__ = ["KIND"]


def _fits(chain: Chain, owner: Group | None) -> bool:
    edge = owner.chain[-1].edge.kind if owner else ""
    return edge in ("attribute", "item", "class attribute", "thread-local")


def _fix(sum_: Accumulating) -> str:
    return sum_.with_ending("detach") or (
        f"update {sum_.name} inside no_grad(), or from what .detach() gives"
    )


KIND = Kind(
    name="graph-in-running-stat",
    family="GRAPH",
    text=__doc__ or "",
    rank=160,
    fits_graph=_fits,
    fix_graph=_fix,
    patch_graph=lambda sum_: sum_.patch("detach"),
    fix="update {name} inside no_grad(), or from what .detach() gives",
)
