"""Functions over the parameters of networks: clipping gradients, vectors of parameters, padding."""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard.nn.utils import parametrize, rnn, stateless
from garboard.nn.utils.clip_grad import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from garboard.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from garboard.nn.utils.fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)
from garboard.nn.utils.init import skip_init
from garboard.nn.utils.memory_format import (
    convert_conv2d_weight_memory_format,
    convert_conv3d_weight_memory_format,
)
from garboard.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from garboard.nn.utils.weight_norm import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "convert_conv2d_weight_memory_format",
    "convert_conv3d_weight_memory_format",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]

if TYPE_CHECKING:
    from garboard.nn.utils import parametrizations, prune
else:
    __getattr__ = module_getattr(__name__, ("parametrizations", "prune"), older=("clip_grad_norm",))
