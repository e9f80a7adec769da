"""An optimizer outlives its model, and keeps the parameters and their state.

    runs.append(opt)        # leaks: the weights and two moments of each
    del opt                 # with its model, or opt.dispose()

Evidence: an optimizer is on the way from a root to the parameters. A list in the state of one
parameter is none of it: that is a list like others.
"""

from __future__ import annotations

from garboard.leaks.evidence._classes import is_one
from garboard.leaks.findings._fixes import is_kept_once
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group, is_container
from garboard.leaks.holders._holders import expression
from garboard.leaks.holders._unasked import attributes_of

__all__ = ["KIND"]


def _place(group: Group) -> int | None:
    places = (i for i, link in enumerate(group.chain) if is_one("optimizer", link.object))
    return next(places, None)


def _fits(group: Group) -> bool:
    at = _place(group)
    return at is not None and not _is_in_state(group, at)


def _is_in_state(group: Group, at: int) -> bool:
    """Tell whether the holder is a container that the state of one parameter has."""
    if not is_container(group.holder) or group.at <= at:
        return False
    names = [link.edge.name for link in group.chain[at + 1 : group.at]]
    return "state" in names


def _fix(group: Group) -> str:
    at = _place(group) or 0
    born = attributes_of(group.chain[at].object).get("_born", 0)
    is_new = is_kept_once(group) and born >= group.survivors[0].serial
    if is_new or (is_container(group.holder) and group.at < at):
        return KIND.fix
    name = expression(group.chain[: at + 1]) or "the optimizer"
    return f"take what was replaced out of {name}.param_groups and {name}.state, or begin it anew"


KIND = Kind(
    name="optimizer-orphan",
    family="OPT",
    text=__doc__ or "",
    rank=20,
    fits=_fits,
    fix="drop the optimizer together with its model, or optimizer.dispose() it",
    fix_group=_fix,
)
