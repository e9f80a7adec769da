"""Layers that follow each other, made one for inference."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeVar

from garboard._arguments import check
from garboard._engine import Tensor, ones_like, rsqrt, zeros_like
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.nn._norms.channel_norms import BatchNorm1d

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]

_M = TypeVar("_M", bound=Module)


def fuse_conv_bn_eval(conv: _M, bn: Module, transpose: bool = False) -> _M:
    """Make one convolution of a convolution and the batch norm behind it, for inference.

    Args:
        conv: A convolution in evaluation mode.
        bn: A batch norm in evaluation mode, with running statistics.
        transpose: The convolution is a transposed one.

    Returns:
        A copy of `conv` with other parameters.

    Raises:
        ValueError: One of them trains, or `bn` has no running statistics.
        TypeError: Something that is no module, or lacks a weight.

    >>> conv, norm = gb.nn.Conv2d(3, 4, 3).eval(), gb.nn.BatchNorm2d(4).eval()
    >>> x = gb.randn(1, 3, 8, 8)
    >>> fused = gb.nn.utils.fuse_conv_bn_eval(conv, norm)
    >>> gb.allclose(fused(x), norm(conv(x)), atol=1e-6)
    True
    """
    op = "fuse_conv_bn_eval"
    fused: _M = _fused(op, conv, bn, check.flag(op, "transpose", transpose))
    return fused


def fuse_linear_bn_eval(linear: _M, bn: BatchNorm1d) -> _M:
    """Make one affine layer of one and the batch norm behind it, for inference.

    Args:
        linear: An affine layer in evaluation mode.
        bn: A batch norm of one dim in evaluation mode, with running statistics.

    Returns:
        A copy of `linear` with other parameters.

    Raises:
        ValueError: One of them trains, or `bn` has no running statistics.
        TypeError: Something that is no module, or lacks a weight.

    >>> linear, norm = gb.nn.Linear(3, 4).eval(), gb.nn.BatchNorm1d(4).eval()
    >>> x = gb.randn(2, 3)
    >>> fused = gb.nn.utils.fuse_linear_bn_eval(linear, norm)
    >>> gb.allclose(fused(x), norm(linear(x)), atol=1e-6)
    True
    """
    fused: _M = _fused("fuse_linear_bn_eval", linear, bn, False)
    return fused


def _fused(op: str, layer: Any, bn: Any, transpose: bool) -> Any:
    for name, module in (("layer", layer), ("bn", bn)):
        if check.of_type(Module, op, name, module).training:
            raise ValueError(f"{op}: {type(module).__name__} trains; call eval() first")
    if not isinstance(getattr(layer, "weight", None), Tensor):
        raise TypeError(f"{op}: {type(layer).__name__} has no weight; a layer with one is needed")
    if not isinstance(getattr(bn, "running_mean", None), Tensor):
        raise ValueError(
            f"{op}: {type(bn).__name__} has no running statistics; track_running_stats is needed"
        )
    fused = deepcopy(layer)
    statistics = bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    fused.weight, fused.bias = fuse_conv_bn_weights(
        layer.weight, layer.bias, *statistics, transpose=transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Compute the parameters of a convolution with the batch norm behind it inside.

    Args:
        conv_w: The convolution's weight.
        conv_b: Its bias, or None.
        bn_rm: The running mean, [channels].
        bn_rv: The running variance, likewise.
        bn_eps: What is added to it.
        bn_w: The norm's weight, or None for ones.
        bn_b: Its bias, or None for zeros.
        transpose: Outputs are the weight's second dim.

    Returns:
        A weight and a bias, Parameters.

    Raises:
        ShapeError: The sizes do not fit.
        TypeError: Something that is no Tensor.

    >>> weight, zero, one = gb.ones(2, 1, 1), gb.zeros(2), gb.ones(2)
    >>> fused = gb.nn.utils.fuse_conv_bn_weights(weight, None, one, one, 0.0, None, None)
    >>> fused[1].tolist()
    [-1.0, -1.0]
    """
    op = "fuse_conv_bn_weights"
    for name, given in (("conv_w", conv_w), ("bn_rm", bn_rm), ("bn_rv", bn_rv)):
        check.tensor(op, name, given)
    before = zeros_like(bn_rm) if conv_b is None else check.tensor(op, "conv_b", conv_b)
    weight = ones_like(bn_rm) if bn_w is None else check.tensor(op, "bn_w", bn_w)
    bias = zeros_like(bn_rm) if bn_b is None else check.tensor(op, "bn_b", bn_b)
    scale = weight * rsqrt(bn_rv + check.rate(op, "bn_eps", bn_eps))
    outputs = 1 if check.flag(op, "transpose", transpose) else 0
    shape = [-1 if d == outputs else 1 for d in range(conv_w.ndim)]
    fused = (conv_w * scale.view(shape)).to(conv_w.dtype)
    shifted = ((before - bn_rm) * scale + bias).to(before.dtype)
    asks = before if conv_b is not None else conv_w
    return (
        Parameter(fused.detach(), conv_w.requires_grad),
        Parameter(shifted.detach(), asks.requires_grad),
    )


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Compute the parameters of an affine layer with the batch norm behind it inside.

    Args:
        linear_w: The layer's weight.
        linear_b: Its bias, or None.
        bn_rm: The running mean, [features].
        bn_rv: The running variance, likewise.
        bn_eps: What is added to it.
        bn_w: The norm's weight, or None for ones.
        bn_b: Its bias, or None for zeros.

    Returns:
        A weight and a bias, Parameters.

    Raises:
        ShapeError: The sizes do not fit.
        TypeError: Something that is no Tensor.

    >>> weight, one = gb.ones(2, 1), gb.ones(2)
    >>> fused = gb.nn.utils.fuse_linear_bn_weights(weight, None, one, one, 0.0, None, None)
    >>> fused[0].tolist()
    [[1.0], [1.0]]
    """
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
