"""A notebook keeps what its cells showed, in `Out`, `_` and `_7`.

A cell that ends in a bare `x` stores it for good, and `del x` frees nothing. End the cell with `;`,
or clear the history with `%leaks clear out` or `%reset -f out`.

Evidence: IPython's output history is on the way. RETAINED, without growth.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    return any(link.edge.kind == "output" for link in group.chain)


KIND = Kind(
    name="notebook-output",
    family="OUT",
    text=__doc__ or "",
    rank=50,
    fits=_fits,
    standing=lambda group: "RETAINED",
    fix="run `%leaks clear out` or `%reset -f out`, or end the cell with `;`",
)
