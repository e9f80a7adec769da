"""One tensor grows at every step.

    outputs = gb.cat([outputs, y])    # leaks: each step copies all that there was, and keeps it
    total += y.sum().item()           # keeps what is needed

Its count is one all the time, so no list shows it. Keep what is needed of each step, or the last
rows alone, or begin it anew at each epoch.

Evidence: the bytes that live of one line rise from look to look, by a megabyte or more altogether,
while no more tensors of that line live. GROWING: a cache that a request fills looks the same.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="growing-tensor",
    family="SIZE",
    text=__doc__ or "",
    rank=205,
    is_settled=lambda group: False,
    may_settle=False,
    fix="keep the last rows of {name} alone, {name}[-1000:], or begin it anew at each epoch",
)
