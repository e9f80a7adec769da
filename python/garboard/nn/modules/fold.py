"""Windows as columns and back, where PyTorch's users look for them."""

from garboard.nn import Fold, Unfold

__all__ = ["Fold", "Unfold"]
