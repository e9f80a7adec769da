"""An op for each tensor of a list: `gb.foreach.add(tensors, 2)`; in place where a name ends in `_`.

What stands beside the tensors is one number for all, one number each, or one tensor each. In-place
forms return the list that they were given, the others a tuple. Each tensor is computed as the op
alone computes it; a number may stand where PyTorch wants one, and a list may be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard._root.foreach import for_each_named

if TYPE_CHECKING:
    from garboard._engine import Tensor

_ForEach = Callable[..., Sequence["Tensor"]]

_FUNCTIONS = for_each_named("foreach.")

__all__ = sorted(_FUNCTIONS)

globals().update(_FUNCTIONS)
for _each in _FUNCTIONS.values():
    _each.__module__ = __name__

if TYPE_CHECKING:  # what a checker sees; the functions are made from the table
    abs: _ForEach
    abs_: _ForEach
    acos: _ForEach
    acos_: _ForEach
    add: _ForEach
    add_: _ForEach
    addcdiv: _ForEach
    addcdiv_: _ForEach
    addcmul: _ForEach
    addcmul_: _ForEach
    asin: _ForEach
    asin_: _ForEach
    atan: _ForEach
    atan_: _ForEach
    ceil: _ForEach
    ceil_: _ForEach
    clamp_max: _ForEach
    clamp_max_: _ForEach
    clamp_min: _ForEach
    clamp_min_: _ForEach
    clone: _ForEach
    copy_: _ForEach
    cos: _ForEach
    cos_: _ForEach
    cosh: _ForEach
    cosh_: _ForEach
    div: _ForEach
    div_: _ForEach
    erf: _ForEach
    erf_: _ForEach
    erfc: _ForEach
    erfc_: _ForEach
    exp: _ForEach
    exp_: _ForEach
    expm1: _ForEach
    expm1_: _ForEach
    floor: _ForEach
    floor_: _ForEach
    frac: _ForEach
    frac_: _ForEach
    lerp: _ForEach
    lerp_: _ForEach
    lgamma: _ForEach
    lgamma_: _ForEach
    log: _ForEach
    log10: _ForEach
    log10_: _ForEach
    log1p: _ForEach
    log1p_: _ForEach
    log2: _ForEach
    log2_: _ForEach
    log_: _ForEach
    max: _ForEach
    maximum: _ForEach
    maximum_: _ForEach
    minimum: _ForEach
    minimum_: _ForEach
    mm: _ForEach
    mul: _ForEach
    mul_: _ForEach
    neg: _ForEach
    neg_: _ForEach
    norm: _ForEach
    pow: _ForEach
    pow_: _ForEach
    reciprocal: _ForEach
    reciprocal_: _ForEach
    round: _ForEach
    round_: _ForEach
    rsqrt: _ForEach
    rsqrt_: _ForEach
    sigmoid: _ForEach
    sigmoid_: _ForEach
    sign: _ForEach
    sign_: _ForEach
    sin: _ForEach
    sin_: _ForEach
    sinh: _ForEach
    sinh_: _ForEach
    sqrt: _ForEach
    sqrt_: _ForEach
    sub: _ForEach
    sub_: _ForEach
    tan: _ForEach
    tan_: _ForEach
    tanh: _ForEach
    tanh_: _ForEach
    trunc: _ForEach
    trunc_: _ForEach
    zero_: _ForEach
else:
    __getattr__ = module_getattr(__name__)
