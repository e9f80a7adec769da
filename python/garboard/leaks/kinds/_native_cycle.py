"""A gradient leads back to its own parameter: a cycle inside the library.

    loss.backward(create_graph=True)            # leaks: parameter, .grad, its graph, parameter
    gradient, = gb.autograd.grad(loss, [parameter], create_graph=True)

Setting `.grad = None` breaks it, too.

Evidence: a cycle of tensors and graph nodes alone, with nothing of the program's on it. CYCLE where
the garbage collector ends it, which may be long after memory has run out.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="native-cycle",
    family="CYCLE",
    text=__doc__ or "",
    rank=100,
    holder="a cycle of tensors and graph nodes",
    fits_cycle=lambda cycle: cycle.is_native,
    fix="use gb.autograd.grad(...) instead of backward(create_graph=True), or set .grad = None",
)
