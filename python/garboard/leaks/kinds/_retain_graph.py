"""A graph is kept for a second backward pass that never comes.

`backward(retain_graph=True)` leaves everything the graph saved in place. That is right before the
last backward pass of a step, and keeps the whole step alive after it.

    first.backward(retain_graph=True)
    second.backward()               # without it: this was the last one
    losses.append(second.item())

Evidence: nodes that were walked with `retain_graph=True`, were not released since, and are reached
from what the loop keeps.
"""

from __future__ import annotations

from garboard._shown.site import site_of
from garboard.leaks.evidence._graphs import Chain
from garboard.leaks.evidence._rows import Survivor
from garboard.leaks.findings._fixes import Accumulating, stored_as, stored_bounded
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._source import is_given

__all__ = ["KIND"]

_FIX = "drop retain_graph=True on the last backward of a step"


def _fits_graph(chain: Chain, owner: Group | None) -> bool:
    return chain.is_retained and not _is_for_derivatives(chain.site)


def _fits(group: Group) -> bool:
    is_kept = group.is_contained and group.is_retained and group.saved_bytes > 0
    return is_kept and not _is_for_derivatives(group.survivors[-1].site)


def _is_for_derivatives(site: int) -> bool:
    """Tell whether the program keeps graphs by `create_graph=True` alone, which it needs."""
    file = site_of(site).file
    return is_given(file, "create_graph") and not is_given(file, "retain_graph")


def _fix(group: Group) -> str:
    is_small = group.survivors[-1].shape == ()
    statement = (stored_as if is_small else stored_bounded)(group, _ending)
    return f"{statement}  # and {_FIX}" if statement else f"{_FIX}, and keep what .detach() gives"


def _fix_graph(sum_: Accumulating) -> str:
    return f"{_FIX}, and keep {sum_.name}.{'item' if sum_.is_scalar else 'detach'}()"


def _ending(stored: Survivor) -> str:
    return "item" if stored.shape == () else "detach"


KIND = Kind(
    name="retain-graph",
    family="GRAPH",
    text=__doc__ or "",
    rank=150,
    fits=_fits,
    fits_graph=_fits_graph,
    fix_group=_fix,
    fix_graph=_fix_graph,
)
