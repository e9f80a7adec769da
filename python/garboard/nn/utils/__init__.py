"""Functions over the parameters of networks: clipping gradients, vectors of parameters, padding."""

from typing import TYPE_CHECKING

from garboard._missing import module_getattr
from garboard.nn.utils import rnn
from garboard.nn.utils.clip_grad import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from garboard.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "rnn",
    "vector_to_parameters",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
