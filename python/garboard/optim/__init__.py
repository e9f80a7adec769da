"""Optimizers: parameters changed in place, and schedules of how far their steps go."""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.optim import lr_scheduler, swa_utils
from garboard.optim.adafactor import Adafactor
from garboard.optim.adagrad import Adadelta, Adagrad
from garboard.optim.adam import Adam
from garboard.optim.adam_kin import Adamax, NAdam, RAdam
from garboard.optim.adamw import AdamW
from garboard.optim.asgd import ASGD
from garboard.optim.lbfgs import LBFGS
from garboard.optim.muon import Muon
from garboard.optim.optimizer import Optimizer
from garboard.optim.rmsprop import RMSprop
from garboard.optim.rprop import Rprop
from garboard.optim.sgd import SGD
from garboard.optim.sparse_adam import SparseAdam

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

publish_paths(__name__)
