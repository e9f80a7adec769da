"""One tensor grows at every step.

    outputs = gb.cat([outputs, y])    # leaks: each step copies all that there was, and keeps it
    total += y.sum().item()           # keeps what is needed

Its count is one all the time, so no list shows it. Keep what is needed of each step, or the last
rows alone, or begin it anew at each epoch.

Evidence: the bytes that live of one line rise from look to look, while no more tensors of that line
live: by a megabyte or more altogether, or by less where the line joins the tensor to what it was,
and no code of the file cuts it or begins it anew. GROWING: a cache that a request fills looks the
same.
"""

from __future__ import annotations

from garboard._shown.site import site_of
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import expression, storing_of
from garboard.leaks.holders._mending import with_last_rows
from garboard.leaks.holders._source import target_called

__all__ = ["KIND"]


def _fix(group: Group) -> str:
    storing = storing_of(group.named, site_of(group.survivors[-1].site))
    written = target_called(storing[1].statement, group.named[-1].edge.name) if storing else None
    name = written or expression(group.named) or "it"
    if storing and (statement := with_last_rows(storing[1].statement)):
        return f"{statement}  # or begin it anew at each epoch"
    return f"keep the last rows alone, {name} = {name}[-1000:], or begin it anew at each epoch"


KIND = Kind(
    name="growing-tensor",
    family="SIZE",
    text=__doc__ or "",
    rank=205,
    is_settled=lambda group: False,
    may_settle=False,
    fix_group=_fix,
)
