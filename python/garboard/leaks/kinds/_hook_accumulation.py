"""A hook is registered at every step, and never removed.

    layer.register_forward_hook(keep)           # leaks, where the loop comes by again and again
    with layer.register_forward_hook(keep):     # removed when the block ends
        layer(x)

Each hook keeps what it captures, and each step takes longer than the one before.

Evidence: registrations of nearly every step from one line are still in the table of one module or
tensor. LEAK, like everything that grows and has no bound.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="hook-accumulation",
    family="HOOK",
    text=__doc__ or "",
    rank=5,
    fits=lambda group: group.what == "hook",
    fix="register it once before the loop, or keep the handle and call handle.remove()",
)
