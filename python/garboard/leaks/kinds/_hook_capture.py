"""A hook of a module stores every output it sees, or one of a tensor every gradient.

    handle = layer.register_forward_hook(keep)
    ...
    handle.remove()         # or let `keep` store output.detach().mean()

Evidence: the way from a root leads by a hook table, or a hook refers to the container that grows.
"""

from __future__ import annotations

from garboard._shown.site import Site, site_of
from garboard.leaks.findings._fixes import patch_stored_small, stored_without_growth
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import objects_of
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import storing_of
from garboard.leaks.holders._hooks import is_filled_by_hook
from garboard.leaks.holders._patches import NO_PATCH, Patch
from garboard.leaks.holders._unasked import type_name

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    names = [link.edge.name for link in group.chain]
    if any(name.endswith("hooks") and name.startswith("_") for name in names):
        return True
    if any(type_name(type(it)) in ("Hooks", "HookTable") for it in objects_of(group)):
        return True
    return group.is_contained and is_filled_by_hook(group.holder, _filling_line(group))


def _filling_line(group: Group) -> Site | None:
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    return None if found is None or found[1].is_assignment else Site(found[0], found[1].line, "")


_FIX = "remove the hook with handle.remove(), or store what .detach().mean() gives"


def _fix(group: Group) -> str:
    if group.is_contained and (statement := stored_without_growth(group)):
        return f"{statement}  # or handle.remove() when it is done"
    return _FIX


def _patch(group: Group) -> Patch:
    is_whole = group.is_contained and stored_without_growth(group)
    return patch_stored_small(group) if is_whole else NO_PATCH


KIND = Kind(
    name="hook-capture",
    family="HOOK",
    text=__doc__ or "",
    rank=70,
    fits=_fits,
    fix=_FIX,
    fix_group=_fix,
    patch_group=_patch,
)
