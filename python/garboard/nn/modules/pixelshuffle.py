"""Shuffles of pixels, where PyTorch's users look for them."""

from garboard.nn import PixelShuffle, PixelUnshuffle

__all__ = ["PixelShuffle", "PixelUnshuffle"]
