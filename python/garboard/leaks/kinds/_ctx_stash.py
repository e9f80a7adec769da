"""A Function keeps tensors as attributes of its `ctx`, which backward cannot free.

    ctx.x = x                       # leaks as long as anything of the graph lives
    ctx.save_for_backward(x)        # freed by backward

An output that is kept so is a cycle besides: output, graph, `ctx`, output.

Evidence: the way to the tensors begins at a `ctx` that a graph keeps. LEAK where it grows; CYCLE
where only the garbage collector ended it.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._describe import function_name, is_context
from garboard.leaks.holders._groups import Group

__all__ = ["KIND"]


def _figures(group: Group) -> str:
    return f"stored by {function_name(group.chain[0].object)}.forward, which backward cannot free"


KIND = Kind(
    name="ctx-stash",
    family="CTX",
    text=__doc__ or "",
    rank=8,
    fits=lambda group: is_context(group.chain[0].object),
    fits_cycle=lambda cycle: cycle.is_stashed,
    figures=_figures,
    fix="give it to ctx.save_for_backward(...), and read ctx.saved_tensors",
)
