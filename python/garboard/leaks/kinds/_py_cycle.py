"""Only the garbage collector ends it: an object refers to itself by way of others.

    self.callback = lambda *_: self.buffer                # leaks until the collector comes
    self.callback = weakref.WeakMethod(self.on_step)

Until then its tensors wait, and memory may run out first.

Evidence: what was alive before a collection and not after it. CYCLE where that was more than 1 MiB
and a twentieth of the living bytes, or where it happens again and again.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="py-cycle",
    family="CYCLE",
    text=__doc__ or "",
    fix="break the cycle in a close(), or hold one side by weakref (WeakMethod for a method)",
)
