"""A variable or attribute still holds a tensor that a judged block or call made.

    with gb.leaks.no_leaks():
        result = model(x)      # `result` lives on

Evidence: the way from a root ends at a name and not in a container. Only the exact checks report
it: a running loop has variables of its own.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="variable",
    family="NAME",
    text=__doc__ or "",
    rank=210,
    fits=lambda group: not group.is_contained,
    is_settled=lambda group: False,
    may_settle=False,
    fix="del {name} when it is done, or make it inside a dispose_scope()",
)
