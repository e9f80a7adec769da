"""The adaptive softmax, where PyTorch's users look for it."""

from garboard.nn import AdaptiveLogSoftmaxWithLoss

__all__ = ["AdaptiveLogSoftmaxWithLoss"]
