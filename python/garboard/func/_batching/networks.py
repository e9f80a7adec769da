"""Ops of networks: their own batch and that of the samples are one, or their channels are."""

from __future__ import annotations

import re
from typing import Any

from garboard import _engine
from garboard._engine import Tensor
from garboard.func._batching.calls import Call, NotBatchedError, rule
from garboard.func._batching.elementwise import elementwise
from garboard.func._batching.tensor import batch

__all__: list[str] = []

_MERGED = """
max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d
adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
adaptive_max_pool3d lp_pool1d lp_pool2d lp_pool3d max_unpool1d max_unpool2d max_unpool3d
max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices
adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices
adaptive_max_pool3d_with_indices dropout1d dropout2d dropout3d feature_alpha_dropout
"""
_OF_BATCHES = """
interpolate upsample upsample_nearest upsample_bilinear grid_sample affine_grid
local_response_norm channel_shuffle
"""
_SPATIAL = re.compile(r"[a-z_]([123])d")


def _split(call: Call, made: Any) -> Any:
    if isinstance(made, Tensor):
        return made.unflatten(0, (call.size, -1))
    return type(made)([_split(call, it) for it in made])


@rule(_MERGED)
def merged(call: Call, input: Tensor, *args: Any, **named: Any) -> Any:
    digits = _SPATIAL.search(call.name)
    spatial = int(digits[1]) if digits else input.ndim - 2
    is_one = input.ndim == spatial + 1
    if not call.is_batched(input) or not (is_one or input.ndim == spatial + 2):
        return NotImplemented

    def part(given: Any) -> Any:
        if not isinstance(given, Tensor):
            return given
        return call.full(given) if is_one else call.full(given).flatten(0, 1)

    made = call.function(part(input), *map(part, args), **{k: part(v) for k, v in named.items()})
    return made if is_one else _split(call, made)


@rule(_OF_BATCHES)
def of_batches(call: Call, input: Tensor, *args: Any, **named: Any) -> Any:
    weights = [*args, *named.values()]
    is_pair = call.name in ("grid_sample", "affine_grid")
    if not is_pair and any(call.is_batched(it) for it in weights):
        return NotImplemented
    if call.name == "affine_grid":
        return NotImplemented
    values = [
        call.full(it).flatten(0, 1) if is_pair and isinstance(it, Tensor) else it for it in args
    ]
    for key, it in named.items():
        if is_pair and isinstance(it, Tensor):
            named[key] = call.full(it).flatten(0, 1)
    return _split(call, call.function(call.full(input).flatten(0, 1), *values, **named))


@rule("pixel_shuffle pixel_unshuffle")
def leading(call: Call, input: Tensor, *args: Any, **named: Any) -> Any:
    return call.function(call.value(input), *args, **named)


@rule("pad")
def pad(call: Call, input: Tensor, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    if isinstance(value, Tensor) or not call.is_batched(input):
        return NotImplemented
    if mode == "constant":
        return call.function(call.value(input), pad, mode, value)
    spatial = len(pad) // 2
    if input.ndim == spatial + 1:
        return call.function(call.value(input), pad, mode)
    if input.ndim != spatial + 2:
        return NotImplemented
    return _split(call, call.function(call.value(input).flatten(0, 1), pad, mode))


@rule("functional.unfold functional.fold")
def folded(call: Call, input: Tensor, *args: Any, **named: Any) -> Any:
    value = call.value(input)
    if input.ndim == (3 if call.name.endswith("unfold") else 2):
        return call.function(value, *args, **named)
    return _split(call, call.function(value.flatten(0, 1), *args, **named))


@rule("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d")
def convolution(
    call: Call, input: Tensor, weight: Tensor, bias: Tensor | None = None, *args: Any, **named: Any
) -> Any:
    spatial = weight.ndim - 2
    is_one = input.ndim == spatial + 1
    if input.ndim not in (spatial + 1, spatial + 2):
        return NotImplemented
    if not call.is_batched(weight):
        own = bias if bias is None or not call.is_batched(bias) else None
        value = call.full(input)
        if is_one:
            made = call.function(value, weight, own, *args, **named)
        else:
            made = _split(call, call.function(value.flatten(0, 1), weight, own, *args, **named))
        if bias is None or own is bias:
            return made
        return made + _of_channels(call.value(bias), made.ndim, spatial)
    at = 3
    groups = named.pop("groups", args[at] if len(args) > at else 1)
    args = args[:at] + ((groups * call.size,) if len(args) > at else ()) + args[at + 1 :]
    if len(args) <= at:
        named["groups"] = groups * call.size
    value = call.full(input)
    value = value.unsqueeze(0) if is_one else value.movedim(1, 0)
    made = call.function(
        value.flatten(1, 2),
        call.value(weight).flatten(0, 1),
        None if bias is None else call.full(bias).flatten(0, 1),
        *args,
        **named,
    )
    made = made.unflatten(1, (call.size, -1)).movedim(1, 0)
    return made.squeeze(1) if is_one else made


def _of_channels(value: Any, ndim: int, spatial: int) -> Any:
    """What there is one of for each sample's channel, beside places."""
    ones = ndim - 2 - spatial
    return value.reshape(value.shape[0], *(1,) * ones, value.shape[1], *(1,) * spatial)


@rule("group_norm instance_norm")
def group_norm(call: Call, input: Tensor, *args: Any, **named: Any) -> Any:
    names = ("num_groups", "weight", "bias", "eps")
    if call.name == "instance_norm":
        names = ("running_mean", "running_var", "weight", "bias")
    given = dict(zip(names, args, strict=False)) | named
    if input.ndim < 2 or len(args) > 4 or given.get("running_mean") is not None:
        return NotImplemented
    if given.get("running_var") is not None:
        return NotImplemented
    factors = [given.get(it) for it in ("weight", "bias")]
    if any(map(call.is_batched, factors)):
        given |= {"weight": None, "bias": None}
    else:
        factors = [None, None]
    made = _split(call, call.function(call.full(input).flatten(0, 1), **given))
    ones = (1,) * (input.ndim - 2)
    weight, bias = (
        None if it is None else call.value(it).reshape(-1, 1, input.shape[1], *ones)
        for it in factors
    )
    made = made if weight is None else made * weight
    return made if bias is None else made + bias


@rule("layer_norm rms_norm")
def layer_norm(call: Call, input: Tensor, normalized_shape: Any, *args: Any, **named: Any) -> Any:
    given = [*args, *named.values()]
    if not any(call.is_batched(it) for it in given):
        return call.function(call.value(input), normalized_shape, *args, **named)
    names = ("weight", "bias", "eps") if call.name == "layer_norm" else ("weight", "eps")
    more = dict(zip(names, args, strict=False)) | named
    weight, bias = more.pop("weight", None), more.pop("bias", None)
    more = {key: it for key, it in more.items() if it is not None}
    made = call.function(call.value(input), normalized_shape, **more)
    for factor in (weight, bias):
        if factor is None:
            continue
        if call.is_batched(factor):
            ones = (1,) * (made.ndim - 1 - factor.ndim)
            factor = call.value(factor).reshape(call.size, *ones, *factor.shape)
        made = made * factor if factor is not None and weight is not None else made + factor
        weight = None
    return made


@rule("batch_norm")
def batch_norm(
    call: Call,
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    running = [it for it in (running_mean, running_var) if it is not None]
    if training and any(not call.is_batched(it) for it in running):
        raise NotBatchedError(
            "batch_norm: all samples have the running statistics alike, and each would move them; "
            "give each its own, or none: gb.func.replace_all_batch_norm_modules_"
        )
    given = [*running, *(it for it in (weight, bias) if it is not None)]
    if not training and not any(call.is_batched(it) for it in given):
        made = call.function(
            call.value(input).flatten(0, 1),
            running_mean,
            running_var,
            weight,
            bias,
            training,
            momentum,
            eps,
        )
        return _split(call, made)

    def flat(it: Tensor | None) -> Any:
        return None if it is None else call.full(it).reshape(-1)

    means, variances = flat(running_mean), flat(running_var)
    value = call.full(input).movedim(0, 1)
    made = call.function(
        value.flatten(1, 2), means, variances, flat(weight), flat(bias), training, momentum, eps
    )
    for kept, moved in ((running_mean, means), (running_var, variances)):
        if training and kept is not None:
            call.value(kept).copy_(moved.reshape(call.size, -1))
    return made.unflatten(1, (call.size, -1)).movedim(1, 0)


@rule("scaled_dot_product_attention")
def attention(
    call: Call, query: Tensor, key: Tensor, value: Tensor, *args: Any, **named: Any
) -> Any:
    mask = named.pop("attn_mask", args[0] if args else None)
    args = args[1:]
    ndim = query.ndim
    if key.ndim != ndim or value.ndim != ndim or ndim < 2:
        return NotImplemented
    if mask is not None and call.is_batched(mask):
        mask = call.value(mask)
        ones = (1,) * (ndim + 1 - mask.ndim)
        mask = mask.reshape(call.size, *ones, *mask.shape[1:])
    parts = [call.full(it) for it in (query, key, value)]
    if ndim == 4:  # heads of each sample's own batch
        leading = parts[0].shape[:2]
        parts = [it.flatten(0, 1) for it in parts]
        if mask is not None and mask.ndim == 5:
            mask = mask.expand(*leading, *mask.shape[2:]).flatten(0, 1)
        return call.function(*parts, mask, *args, **named).unflatten(0, tuple(leading))
    return call.function(*parts, mask, *args, **named)


def _reduced(each: Tensor, reduction: str, dims: int) -> Any:
    """A loss of each element as that of each sample."""
    if reduction == "none":
        return each
    if reduction not in ("mean", "sum"):
        return NotImplemented
    flat = each.flatten(1) if each.ndim > 1 else each.unsqueeze(1)
    return flat.mean(1) if reduction == "mean" else flat.sum(1)


@rule(
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy soft_margin_loss "
    "binary_cross_entropy_with_logits poisson_nll_loss hinge_embedding_loss "
    "margin_ranking_loss kl_div"
)
def loss(call: Call, *args: Any, **named: Any) -> Any:
    reduction = named.pop("reduction", "mean")
    if any(it in named for it in ("size_average", "reduce")) or len(args) > 3:
        return NotImplemented
    tensors = [it for it in (*args, *named.values()) if isinstance(it, Tensor)]
    if len(args) == 3 and not isinstance(args[2], Tensor):
        return NotImplemented
    dims = max(it.ndim for it in tensors)

    def wide(given: Any) -> Any:  # as some of these want equal sizes
        is_wide = isinstance(given, Tensor) and given.ndim == dims and not call.is_batched(given)
        return batch(call.full(given), call.level) if is_wide else given

    named = {key: wide(it) for key, it in named.items()}
    each = elementwise(call, *map(wide, args), reduction="none", **named)
    if call.name == "kl_div" and reduction == "batchmean":
        return each.flatten(1).sum(1) / max(args[0].shape[0], 1)
    return _reduced(each, reduction, dims)


@rule("cross_entropy nll_loss")
def cross_entropy(
    call: Call,
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    **named: Any,
) -> Any:
    if size_average is not None or reduce is not None:
        return NotImplemented
    value, of_target = call.full(input), call.full(target)
    is_one = input.ndim == 1
    if not is_one:
        value, of_target = value.flatten(0, 1), of_target.flatten(0, 1)
    is_classes = not of_target.is_floating_point()
    own_weights = call.is_batched(weight)
    if own_weights and (not is_classes or named.get("label_smoothing")):
        return NotImplemented
    shares: Any = None
    if is_classes:
        named["ignore_index"] = ignore_index
        places = call.full(target).reshape(call.size, -1)
        shares = places != ignore_index
        if weight is not None:
            # Weights have no gradient.
            shares = call.full(weight).detach().gather(1, places.masked_fill(~shares, 0)) * shares
    whole = None if own_weights else weight
    each = call.function(value, of_target, whole, reduction="none", **named)
    each = each if is_one else each.unflatten(0, (call.size, -1))
    if own_weights:
        each = each * shares.reshape(each.shape)
    if reduction == "mean" and is_classes:
        return each.reshape(call.size, -1).sum(1) / shares.sum(1)
    return _reduced(each, reduction, 0)


@rule("prelu")
def prelu(call: Call, input: Tensor, weight: Tensor) -> Any:
    value, slope = call.value(input), call.value(weight)
    ones = input.ndim - 2 if weight.numel() != 1 and input.ndim > 1 else -1
    if ones < 0:
        slope = slope.reshape(-1, *(1,) * input.ndim)
    else:
        slope = slope.reshape(slope.shape[0], 1, -1, *(1,) * ones)
    return _engine.where(value > 0, value, value * slope)


@rule("bilinear")
def bilinear(call: Call, one: Tensor, two: Tensor, weight: Tensor, bias: Any = None) -> Any:
    if call.is_batched(weight) or call.is_batched(bias):
        return NotImplemented
    return call.function(call.full(one), call.full(two), weight, bias)
