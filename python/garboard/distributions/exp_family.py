"""Exponential families, where PyTorch's users look for them."""

from garboard.distributions._exponential_family import ExponentialFamily

__all__ = ["ExponentialFamily"]
