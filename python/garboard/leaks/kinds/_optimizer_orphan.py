"""An optimizer outlives its model, and keeps the parameters and their state.

    runs.append(opt)        # leaks: the weights and two moments of each
    del opt                 # with its model, or opt.dispose()

Evidence: an optimizer is on the way from a root to the parameters.
"""

from __future__ import annotations

from garboard.leaks.evidence._classes import is_one
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import passes_one
from garboard.leaks.holders._groups import Group, is_container
from garboard.leaks.holders._holders import expression

__all__ = ["KIND"]


def _fix(group: Group) -> str:
    at = next(i for i, link in enumerate(group.chain) if is_one("optimizer", link.object))
    if is_container(group.holder) and group.at < at:
        return KIND.fix
    name = expression(group.chain[: at + 1]) or "the optimizer"
    return f"take what was replaced out of {name}.param_groups and {name}.state, or begin it anew"


KIND = Kind(
    name="optimizer-orphan",
    family="OPT",
    text=__doc__ or "",
    rank=20,
    fits=lambda group: passes_one(group, "optimizer"),
    fix="drop the optimizer together with its model, or optimizer.dispose() it",
    fix_group=_fix,
)
