"""AdamW, where PyTorch has it: in a module of its own."""

from garboard.optim._functions import adamw
from garboard.optim.adam import AdamW

__all__ = ["AdamW", "adamw"]
