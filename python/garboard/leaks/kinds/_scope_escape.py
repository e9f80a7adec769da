"""Tensors leave their dispose scope, and nothing ends them afterwards.

    with gb.dispose_scope("step") as scope:
        scope.detach(y)             # leaks, where `y` is kept: the scope was to end it
        epoch.attach(y)             # ends with the epoch

Evidence: a container gains tensors of which the registry says that a call took them out of their
scope, or moved them to another one, which stays open; and where that call stands.
"""

from __future__ import annotations

from garboard._shown.site import site_of
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import is_emptied_by_code
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._source import text_at

__all__ = ["KIND"]


def _escape(group: Group) -> str:
    """Return the statement by which the newest has left its scope; empty where it has not."""
    newest = group.survivors[-1]
    if not newest.moved_at:
        return ""
    site = site_of(newest.moved_at)
    return text_at(site.file, site.line) or f"a call at {site.place}"


def _fix(group: Group) -> str:
    return f"{_escape(group)}: attach it to a scope that closes, or dispose() what is done with"


KIND = Kind(
    name="scope-escape",
    family="SCOPE",
    text=__doc__ or "",
    rank=92,
    fits=lambda group: group.is_contained and bool(_escape(group)),
    is_settled=lambda group: not is_emptied_by_code(group),
    figures=lambda group: f"which left their scope by {_escape(group)}",
    fix="attach it to a scope that closes, or dispose() what is done with",
    fix_group=_fix,
)
