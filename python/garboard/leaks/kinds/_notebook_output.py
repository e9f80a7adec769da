"""A notebook keeps what its cells showed, in `Out`, `_` and `_7`.

A cell that ends in a bare `x` stores it for good, and `del x` frees nothing. End the cell with `;`,
or clear the history with `%reset -f out`.

Evidence: IPython's output history is on the way. RETAINED, without growth.
"""

from __future__ import annotations

import sys

from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    if "IPython" not in sys.modules:
        return False
    names = {link.edge.name for link in group.chain}
    return bool(names & {"_oh", "Out", "_", "__", "___"}) or any(
        name[:1] == "_" and name[1:].isdigit() for name in names
    )


KIND = Kind(
    name="notebook-output",
    family="OUT",
    text=__doc__ or "",
    rank=50,
    fits=_fits,
    standing=lambda group: "RETAINED",
    fix="run `%reset -f out`, or end the cell with `;`",
)
