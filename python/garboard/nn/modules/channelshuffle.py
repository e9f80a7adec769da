"""The shuffle of channels, where PyTorch's users look for it."""

from garboard.nn import ChannelShuffle

__all__ = ["ChannelShuffle"]
