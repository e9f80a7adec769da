"""Gradients of convolutions by themselves, for programs that write a backward of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import Tensor, is_grad_enabled, zeros
from garboard.autograd import grad
from garboard.nn import functional

__all__ = [
    "conv1d_input",
    "conv1d_weight",
    "conv2d_input",
    "conv2d_weight",
    "conv3d_input",
    "conv3d_weight",
]

_Numbers = int | Sequence[int]
_BESIDE = {
    "input": _engine._convolution_input_gradient,
    "weight": _engine._convolution_weight_gradient,
}


def _gradient(
    op: str, of: str, size: Sequence[int], other: Tensor, grad_output: Tensor, settings: Any
) -> Tensor:
    """The gradient of what is called `of`, at zeros of `size`: it does not depend on it."""
    name, _, _ = op.partition("_")
    check.of_type(Tensor, op, "weight" if of == "input" else "input", other)
    check.of_type(Tensor, op, "grad_output", grad_output)
    sizes = check.sizes(op, f"{of}_size", size)
    weight_ndim = other.ndim if of == "input" else len(sizes)
    if other.is_floating_point() and weight_ndim == int(name[-2]) + 2:
        beside: Callable[..., Tensor] = _BESIDE[of]
        return beside(grad_output, other, sizes, *settings)
    convolve: Callable[..., Tensor] = getattr(functional, name)
    is_recorded = is_grad_enabled() and (other.requires_grad or grad_output.requires_grad)
    with enable_grad():
        at = zeros(sizes, dtype=other.dtype, device=other.device, requires_grad=True)
        pair = (at, other) if of == "input" else (other, at)
        out = convolve(*pair, None, *settings)
        return grad(out, at, grad_output, create_graph=is_recorded)[0]


def conv1d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers | str = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Return the gradient of a `conv1d` for its input.

    Args:
        input_size: The sizes of the input, `[N, C, L]`.
        weight: `[channels out, C / groups, K]`.
        grad_output: The gradient of the output, of its sizes.
        stride: As for the convolution.
        padding: Likewise.
        dilation: Likewise.
        groups: Likewise.

    Returns:
        A tensor of `input_size`; it can be differentiated for `weight` and `grad_output`.

    Raises:
        ShapeError: The sizes are not those of one convolution.
        TypeError: What is no tensor.

    >>> gb.nn.grad.conv1d_input((1, 1, 3), gb.ones(1, 1, 2), gb.ones(1, 1, 2))
    tensor([[[1., 2., 1.]]])
    """
    settings = (stride, padding, dilation, groups)
    return _gradient("conv1d_input", "input", input_size, weight, grad_output, settings)


def conv1d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers | str = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Return the gradient of a `conv1d` for its weight.

    Args:
        input: `[N, C, L]`.
        weight_size: The sizes of the weight, `[channels out, C / groups, K]`.
        grad_output: The gradient of the output, of its sizes.
        stride: As for the convolution.
        padding: Likewise.
        dilation: Likewise.
        groups: Likewise.

    Returns:
        A tensor of `weight_size`; it can be differentiated for `input` and `grad_output`.

    Raises:
        ShapeError: The sizes are not those of one convolution.
        TypeError: What is no tensor.

    >>> gb.nn.grad.conv1d_weight(gb.arange(3.0)[None, None], (1, 1, 2), gb.ones(1, 1, 2))
    tensor([[[1., 3.]]])
    """
    settings = (stride, padding, dilation, groups)
    return _gradient("conv1d_weight", "weight", weight_size, input, grad_output, settings)


def conv2d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers | str = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Return the gradient of a `conv2d` for its input; see `conv1d_input`.

    Args:
        input_size, weight, grad_output: As for `conv1d_input`.
        stride, padding, dilation, groups: Likewise.

    >>> gb.nn.grad.conv2d_input((1, 1, 2, 2), gb.ones(1, 1, 2, 2), gb.ones(1, 1, 1, 1)).sum()
    tensor(4.)
    """
    settings = (stride, padding, dilation, groups)
    return _gradient("conv2d_input", "input", input_size, weight, grad_output, settings)


def conv2d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers | str = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Return the gradient of a `conv2d` for its weight; see `conv1d_weight`.

    Args:
        input, weight_size, grad_output: As for `conv1d_weight`.
        stride, padding, dilation, groups: Likewise.

    >>> gb.nn.grad.conv2d_weight(gb.ones(1, 1, 3, 3), (1, 1, 2, 2), gb.ones(1, 1, 2, 2)).sum()
    tensor(16.)
    """
    settings = (stride, padding, dilation, groups)
    return _gradient("conv2d_weight", "weight", weight_size, input, grad_output, settings)


def conv3d_input(
    input_size: Sequence[int],
    weight: Tensor,
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers | str = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Return the gradient of a `conv3d` for its input; see `conv1d_input`.

    Args:
        input_size, weight, grad_output: As for `conv1d_input`.
        stride, padding, dilation, groups: Likewise.

    >>> gb.nn.grad.conv3d_input((1, 1, 1, 1, 2), gb.ones(1, 1, 1, 1, 2), gb.ones(1, 1, 1, 1, 1))
    tensor([[[[[1., 1.]]]]])
    """
    settings = (stride, padding, dilation, groups)
    return _gradient("conv3d_input", "input", input_size, weight, grad_output, settings)


def conv3d_weight(
    input: Tensor,
    weight_size: Sequence[int],
    grad_output: Tensor,
    stride: _Numbers = 1,
    padding: _Numbers | str = 0,
    dilation: _Numbers = 1,
    groups: int = 1,
) -> Tensor:
    """Return the gradient of a `conv3d` for its weight; see `conv1d_weight`.

    Args:
        input, weight_size, grad_output: As for `conv1d_weight`.
        stride, padding, dilation, groups: Likewise.

    >>> gb.nn.grad.conv3d_weight(gb.ones(1, 1, 1, 1, 2), (1, 1, 1, 1, 2), gb.ones(1, 1, 1, 1, 1))
    tensor([[[[[1., 1.]]]]])
    """
    settings = (stride, padding, dilation, groups)
    return _gradient("conv3d_weight", "weight", weight_size, input, grad_output, settings)
