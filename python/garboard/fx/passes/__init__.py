"""Passes over graphs: what is learned by running a module node by node."""

from garboard.fx.passes import shape_prop as shape_prop

__all__ = ["shape_prop"]
