"""A hidden state carries the graphs of all batches into the next one.

`h = rnn(x, h)` makes each batch's graph part of the next one's, and backward walks them all again:
each step takes longer than the one before.

    out, h = rnn(x, h)
    h = h.detach()          # cut the graph after each batch, or after a few

Evidence: graph nodes of many finished steps behind one tensor, joined by a forward pass and not by
arithmetic alone; nor, where it is a single number, by a maximum, a mean or the like. LEAK as for
accumulated-graph.
"""

from __future__ import annotations

from garboard.leaks.evidence._graphs import Chain
from garboard.leaks.findings._fixes import Accumulating
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group

__all__ = ["KIND"]


# What makes one number of several: a statistic, and no state of a net.
_OF_STATISTICS = {
    "abs", "amax", "amin", "cat", "clamp", "expand", "logaddexp", "max", "maximum", "mean", "min",
    "minimum", "pow", "reshape", "select", "sqrt", "square", "stack", "sum", "unsqueeze", "where",
}  # fmt: skip


def _fits(chain: Chain, owner: Group | None) -> bool:
    if chain.head.shape == () and chain.has_only(_OF_STATISTICS):
        return False
    return not chain.is_arithmetic


def _fix(sum_: Accumulating) -> str:
    if sum_.cut:
        return sum_.cut
    if sum_.is_flat:
        return (
            f"cut the graph after each step: {sum_.name} = tuple(it.detach() for it in {sum_.name})"
        )
    if sum_.is_part:
        return f"cut the graph after each step: detach each tensor of {sum_.name}"
    return f"cut the graph after each step: {sum_.name} = {sum_.name}.detach()"


KIND = Kind(
    name="state-carryover",
    family="GRAPH",
    text=__doc__ or "",
    rank=10,
    fits_graph=_fits,
    fix_graph=_fix,
    patch_graph=lambda sum_: sum_.cutting,
)
