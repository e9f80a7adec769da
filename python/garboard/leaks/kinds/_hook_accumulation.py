"""A hook is registered at every step, and never removed.

    layer.register_forward_hook(keep)           # leaks, where the loop comes by again and again
    with layer.register_forward_hook(keep):     # removed when the block ends
        layer(x)

Each hook keeps what it captures, and each step takes longer than the one before.

Evidence: registrations of nearly every step from one line are still in the table of one module or
tensor. LEAK, like everything that grows and has no bound.
"""

from __future__ import annotations

from garboard._shown.site import site_of
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._patches import Patch, removed_at_the_end

__all__ = ["KIND"]


def _patch(group: Group) -> Patch:
    site = site_of(group.survivors[-1].site)
    return removed_at_the_end(site.file, site.line)


KIND = Kind(
    name="hook-accumulation",
    family="HOOK",
    text=__doc__ or "",
    rank=5,
    fits=lambda group: group.what == "hook",
    fix="register it once before the loop, or keep the handle and call handle.remove()",
    patch_group=_patch,
)
