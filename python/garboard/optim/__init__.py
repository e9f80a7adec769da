"""Optimizers: parameters changed in place, by one native call a group and step."""

from typing import TYPE_CHECKING

from garboard._missing import module_getattr
from garboard.optim.adam import Adam, AdamW
from garboard.optim.optimizer import Optimizer
from garboard.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
