"""Tables looked up by number, where PyTorch's users look for them."""

from garboard.nn import Embedding, EmbeddingBag

__all__ = [
    "Embedding",
    "EmbeddingBag",
]
