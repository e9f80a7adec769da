"""Ops that compute each element from those in its place."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._arguments.layouts import contiguous_format
from garboard._engine import Tensor
from garboard.func._batching.calls import UNCHANGED, Call, rule, rules
from garboard.func._batching.tensor import hides_a_batch

__all__ = ["aligned", "elementwise"]

_OF_ONE = """
abs absolute acos acosh alias angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan
atanh bessel_j0 bessel_j1 bessel_y0 bessel_y1 bfloat16 bool byte cdouble ceil celu cfloat char clip
clone conj conj_physical contiguous cos cosh cpu cuda deg2rad detach digamma double elu empty_like
erf erfc erfcx erfinv exp exp2 expit expm1 fill fix float floor frac frexp full_like gelu half
hardshrink hardsigmoid hardswish hardtanh i0 i0e i1 i1e imag int isfinite isinf isnan isneginf
isposinf isreal leaky_relu lgamma gammaln log log10 log1p log2 logical_not logit log_ndtr logsigmoid
long mish multigammaln mvlgamma nan_to_num ndtr ndtri neg negative ones_like positive psi rad2deg
real reciprocal relu relu6 requires_grad_ resolve_conj resolve_neg round rsqrt selu sgn short
sigmoid sign signbit silu sin sinc sinh softplus softshrink softsign sqrt square tan tanh tanhshrink
threshold to_complex to_real trunc type view_as_complex view_as_real zero_ zeros_like entr
polygamma bitwise_not __abs__ __neg__ __invert__ __pos__ __deepcopy__ detach_ one_hot bernoulli
rand_like randn_like randint_like poisson dropout alpha_dropout rrelu exponential_ geometric_
cauchy_ log_normal_ normal_ uniform_ random_ bernoulli_ retain_grad scaled_modified_bessel_k0
scaled_modified_bessel_k1 modified_bessel_i0 modified_bessel_i1 modified_bessel_k0
modified_bessel_k1 spherical_bessel_j0 airy_ai _softplus as_tensor _real _imag _conj
"""
_OF_SEVERAL = """
add addcdiv addcmul arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift
bitwise_xor clamp clamp_max clamp_min complex copysign copy_ div divide eq float_power floor_divide
fmax fmin fmod gammainc gammaincc gcd ge greater greater_equal gt heaviside hypot igamma igammac
isclose lcm ldexp le lerp less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor
lt masked_fill maximum minimum mul multiply ne nextafter not_equal polar pow remainder rsub sub
subtract true_divide xlogy xlog1py zeta __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__
__truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __pow__ __rpow__ __eq__ __ne__
__lt__ __le__ __gt__ __ge__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __lshift__ __rshift__
__rlshift__ __rrshift__ __div__ __rdiv__
chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w
hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p
shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
shifted_chebyshev_polynomial_w
"""


def _lifted(call: Call, given: Tensor, dims: int) -> Tensor:
    """With the samples in front of that many dims; what all have alike is left to broadcasting."""
    if not call.is_batched(given):
        return given
    value: Tensor = given._value  # type: ignore[attr-defined]
    missing = dims - given.ndim
    if missing <= 0:
        return value
    return value.reshape(value.shape[0], *(1,) * missing, *value.shape[1:])


def _rank(tensor: Tensor) -> int:
    return 2 * tensor.is_complex() + tensor.is_floating_point()


def _demoted(call: Call, args: list[Any]) -> list[Any]:
    """Samples of no dims in the dtype of what has some, where their own has no say."""
    tensors = [it for it in args if isinstance(it, Tensor) and it.dtype != _engine.bool]
    wide = [it for it in tensors if it.ndim]
    if not wide or len({it.dtype for it in tensors}) < 2:
        return args
    dtype = wide[0].dtype
    for it in wide[1:]:
        dtype = _engine.promote_types(dtype, it.dtype)
    rank = max(map(_rank, wide))

    def demoted(given: Any) -> Any:
        is_one = call.is_batched(given) and not given.ndim and given.dtype != _engine.bool
        return given.to(dtype) if is_one and _rank(given) <= rank else given

    return [demoted(it) for it in args]


def aligned(call: Call, args: Any) -> list[Any]:
    """Arguments whose tensors broadcast with the samples in front."""
    tensors = [it for it in args if isinstance(it, Tensor)]
    dims = max(it.ndim for it in tensors)
    if dims:
        args = _demoted(call, args)
    elif len({it.dtype for it in tensors}) > 1:  # of none with dims each has a say
        args = [call.full(it) if isinstance(it, Tensor) else it for it in args]
    return [_lifted(call, it, dims) if isinstance(it, Tensor) else it for it in args]


def elementwise(call: Call, *args: Any, **kwargs: Any) -> Any:
    named = list(kwargs)
    parts = aligned(call, [*args, *kwargs.values()])
    count = len(args)
    made = call.function(*parts[:count], **dict(zip(named, parts[count:], strict=True)))
    if not (args and call.is_batched(args[0])) and isinstance(made, Tensor):
        dims = max(it.ndim for it in parts if isinstance(it, Tensor))
        if made.ndim < dims:
            return NotImplemented  # the one sample was taken for a number
    return UNCHANGED if call.writes else made


for _name in (_OF_ONE + _OF_SEVERAL).split():
    rules[_name] = elementwise
    rules.setdefault(_name + "_", elementwise)


@rule("where")
def where(call: Call, *args: Any, **kwargs: Any) -> Any:
    return NotImplemented if len(args) + len(kwargs) == 1 else elementwise(call, *args, **kwargs)


@rule("clone")
def clone(call: Call, x: Tensor, **named: Any) -> Any:
    value = call.value(x)
    if not named and value.stride(0) < max(value.stride()):  # one sample has no such gaps
        named["memory_format"] = contiguous_format
    return value.clone(**named)


@rule("to type_as")
def converted(call: Call, x: Tensor, *args: Any, **kwargs: Any) -> Any:
    others = [it._value if hides_a_batch(it, call.level) else it for it in args]
    return call.function(call.full(x), *others, **kwargs)
