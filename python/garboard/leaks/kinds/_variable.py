"""A variable or attribute still holds a tensor that a judged block or call made.

    with gb.leaks.no_leaks():
        result = model(x)      # `result` lives on

Evidence: the way from a root ends at a name and not in a container. Only the exact checks report
it: a running loop has variables of its own.
"""

from __future__ import annotations

from garboard._engine import human_bytes
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import expression

__all__ = ["KIND"]


def _nbytes(group: Group) -> int:
    """Return what goes with the name, of a view with what its storage has besides."""
    return group.pinned_bytes + sum(it.nbytes * it.weight for it in group.survivors)


def _figures(group: Group) -> str:
    return f"a view that pins {human_bytes(group.pinned_bytes)}" if group.pinned_bytes else ""


def _fix(group: Group) -> str:
    name = expression(group.named) or "it"
    if group.pinned_bytes:
        return f"del {name} when it is done, or let it be a copy, made by .clone()"
    if group.survivors[-1].moved_at:
        return f"del {name} when it is done, or leave it to the scope that it was made in"
    return KIND.fix.format(name=name)


KIND = Kind(
    name="variable",
    family="NAME",
    text=__doc__ or "",
    rank=210,
    fits=lambda group: not group.is_contained,
    is_settled=lambda group: False,
    may_settle=False,
    nbytes=_nbytes,
    figures=_figures,
    fix="del {name} when it is done, or make it inside a dispose_scope()",
    fix_group=_fix,
)
