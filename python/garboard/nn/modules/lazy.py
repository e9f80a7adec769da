"""What layers share that learn their sizes from the first input, under PyTorch's name."""

from garboard.nn._lazy_layers._unmade import LazyModuleMixin

__all__ = ["LazyModuleMixin"]
