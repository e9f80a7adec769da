"""Layers that join and split dims, where PyTorch's users look for them."""

from garboard.nn import Flatten, Unflatten

__all__ = ["Flatten", "Unflatten"]
