"""A container keeps nodes of graphs, and each keeps everything that was saved behind it.

    nodes.append(y.grad_fn)             # leaks the graph of y
    names.append(y.grad_fn.name)        # keeps a text

Evidence: nodes of nearly every step that no tensor leads to, and a container that has them.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="kept-graph",
    family="GRAPH",
    text=__doc__ or "",
    rank=6,
    fits=lambda group: group.what == "node",
    fix="let go of the nodes in {name}: keep their .name, or what they were asked for",
)
