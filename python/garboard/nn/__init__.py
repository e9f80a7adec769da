"""Networks: modules, layers, losses, and how parameters start."""

from typing import TYPE_CHECKING

from garboard._hooks import RemovableHandle
from garboard._missing import module_getattr
from garboard.nn import functional, init, utils
from garboard.nn._state import StateDictError
from garboard.nn.activations import GELU, LogSoftmax, ReLU, Sigmoid, Softmax, Tanh
from garboard.nn.containers import ModuleList, Sequential
from garboard.nn.dropout import Dropout
from garboard.nn.flatten import Flatten
from garboard.nn.linear import Identity, Linear
from garboard.nn.losses import CrossEntropyLoss, MSELoss
from garboard.nn.module import Module
from garboard.nn.normalization import LayerNorm
from garboard.nn.parameter import Parameter

__all__ = [
    "GELU",
    "CrossEntropyLoss",
    "Dropout",
    "Flatten",
    "Identity",
    "LayerNorm",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "Module",
    "ModuleList",
    "Parameter",
    "ReLU",
    "RemovableHandle",
    "Sequential",
    "Sigmoid",
    "Softmax",
    "StateDictError",
    "Tanh",
    "functional",
    "init",
    "utils",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
