"""Distances, where PyTorch's users look for them."""

from garboard.nn import CosineSimilarity, PairwiseDistance

__all__ = ["CosineSimilarity", "PairwiseDistance"]
