"""Optimizers: parameters changed in place, by one native call a group and step."""

from garboard.optim.adam import Adam, AdamW
from garboard.optim.optimizer import Optimizer
from garboard.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
