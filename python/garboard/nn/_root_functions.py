"""Functions that PyTorch has at its root as well: in-place methods, and some of `nn.functional`."""

from collections.abc import Callable
from typing import TypeAlias

from garboard._engine import Tensor
from garboard.nn.functional import (
    adaptive_avg_pool1d,
    alpha_dropout,
    avg_pool1d,
    bilinear,
    celu,
    celu_,
    channel_shuffle,
    cosine_similarity,
    group_norm,
    hardshrink,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    pairwise_distance,
    pixel_shuffle,
    pixel_unshuffle,
    prelu,
    relu_,
    rms_norm,
    rrelu,
    selu,
    selu_,
    threshold,
    threshold_,
)

__all__ = [
    "abs_",
    "acos_",
    "acosh_",
    "adaptive_avg_pool1d",
    "addmv_",
    "alpha_dropout",
    "arccos_",
    "arccosh_",
    "arcsin_",
    "arcsinh_",
    "arctan_",
    "arctanh_",
    "as_strided_",
    "asin_",
    "asinh_",
    "atan_",
    "atanh_",
    "avg_pool1d",
    "bilinear",
    "ceil_",
    "celu",
    "celu_",
    "channel_shuffle",
    "clamp_",
    "clamp_max_",
    "clamp_min_",
    "clip_",
    "cos_",
    "cosh_",
    "cosine_similarity",
    "deg2rad_",
    "detach_",
    "erf_",
    "erfc_",
    "exp2_",
    "exp_",
    "expm1_",
    "fill_",
    "fix_",
    "floor_",
    "frac_",
    "gcd_",
    "group_norm",
    "hardshrink",
    "i0_",
    "index_put_",
    "lcm_",
    "ldexp_",
    "log1p_",
    "log2_",
    "log10_",
    "log_",
    "logit_",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "nan_to_num_",
    "neg_",
    "negative_",
    "pairwise_distance",
    "pixel_shuffle",
    "pixel_unshuffle",
    "prelu",
    "rad2deg_",
    "reciprocal_",
    "relu_",
    "rms_norm",
    "round_",
    "rrelu",
    "rsqrt_",
    "selu",
    "selu_",
    "sigmoid_",
    "sin_",
    "sinc_",
    "sinh_",
    "sqrt_",
    "square_",
    "tan_",
    "tanh_",
    "threshold",
    "threshold_",
    "trunc_",
    "xlogy_",
    "zero_",
]

InPlace: TypeAlias = Callable[..., Tensor]

abs_: InPlace = Tensor.abs_
acos_: InPlace = Tensor.acos_
acosh_: InPlace = Tensor.acosh_
addmv_: InPlace = Tensor.addmv_
arccos_: InPlace = Tensor.arccos_
arccosh_: InPlace = Tensor.arccosh_
arcsin_: InPlace = Tensor.arcsin_
arcsinh_: InPlace = Tensor.arcsinh_
arctan_: InPlace = Tensor.arctan_
arctanh_: InPlace = Tensor.arctanh_
as_strided_: InPlace = Tensor.as_strided_
asin_: InPlace = Tensor.asin_
asinh_: InPlace = Tensor.asinh_
atan_: InPlace = Tensor.atan_
atanh_: InPlace = Tensor.atanh_
ceil_: InPlace = Tensor.ceil_
clamp_: InPlace = Tensor.clamp_
clamp_max_: InPlace = Tensor.clamp_max_
clamp_min_: InPlace = Tensor.clamp_min_
clip_: InPlace = Tensor.clip_
cos_: InPlace = Tensor.cos_
cosh_: InPlace = Tensor.cosh_
deg2rad_: InPlace = Tensor.deg2rad_
detach_: InPlace = Tensor.detach_
erf_: InPlace = Tensor.erf_
erfc_: InPlace = Tensor.erfc_
exp2_: InPlace = Tensor.exp2_
exp_: InPlace = Tensor.exp_
expm1_: InPlace = Tensor.expm1_
fill_: InPlace = Tensor.fill_
fix_: InPlace = Tensor.fix_
floor_: InPlace = Tensor.floor_
frac_: InPlace = Tensor.frac_
gcd_: InPlace = Tensor.gcd_
i0_: InPlace = Tensor.i0_
index_put_: InPlace = Tensor.index_put_
lcm_: InPlace = Tensor.lcm_
ldexp_: InPlace = Tensor.ldexp_
log10_: InPlace = Tensor.log10_
log1p_: InPlace = Tensor.log1p_
log2_: InPlace = Tensor.log2_
log_: InPlace = Tensor.log_
logit_: InPlace = Tensor.logit_
nan_to_num_: InPlace = Tensor.nan_to_num_
neg_: InPlace = Tensor.neg_
negative_: InPlace = Tensor.negative_
rad2deg_: InPlace = Tensor.rad2deg_
reciprocal_: InPlace = Tensor.reciprocal_
round_: InPlace = Tensor.round_
rsqrt_: InPlace = Tensor.rsqrt_
sigmoid_: InPlace = Tensor.sigmoid_
sin_: InPlace = Tensor.sin_
sinc_: InPlace = Tensor.sinc_
sinh_: InPlace = Tensor.sinh_
sqrt_: InPlace = Tensor.sqrt_
square_: InPlace = Tensor.square_
tan_: InPlace = Tensor.tan_
tanh_: InPlace = Tensor.tanh_
trunc_: InPlace = Tensor.trunc_
xlogy_: InPlace = Tensor.xlogy_
zero_: InPlace = Tensor.zero_
