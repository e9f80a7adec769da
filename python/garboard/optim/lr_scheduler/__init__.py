"""Schedules: how an optimizer's learning rates change from epoch to epoch, or step to step."""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard.optim.lr_scheduler._chains import ChainedScheduler, SequentialLR
from garboard.optim.lr_scheduler._cycles import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    OneCycleLR,
)
from garboard.optim.lr_scheduler._factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from garboard.optim.lr_scheduler._plateau import ReduceLROnPlateau
from garboard.optim.lr_scheduler._scheduler import LRScheduler

_LRScheduler = LRScheduler  # its name in PyTorch 1, which schedules of one's own still inherit

# What PyTorch says of `step(epoch)`; schedules of programs warn with it.
EPOCH_DEPRECATION_WARNING = "step: an epoch is given; a schedule counts its steps by itself"

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
