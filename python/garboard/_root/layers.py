"""Layers as PyTorch's native functions take them: weights first, enumerations by their numbers."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, Tensor
from garboard.nn import functional
from garboard.nn.functional._by_other_paths import native_channel_shuffle
from garboard.nn.functional._times_first import conv_tbc
from garboard.types import DType, Number, Size

__all__ = [
    "_log_softmax_backward_data",
    "_softmax_backward_data",
    "adaptive_max_pool1d",
    "affine_grid_generator",
    "alpha_dropout_",
    "batch_norm",
    "constant_pad_nd",
    "conv_tbc",
    "dropout_",
    "embedding_bag",
    "feature_alpha_dropout",
    "feature_alpha_dropout_",
    "feature_dropout",
    "feature_dropout_",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "instance_norm",
    "max_pool1d_with_indices",
    "native_batch_norm",
    "native_channel_shuffle",
    "native_dropout",
    "native_group_norm",
    "native_layer_norm",
    "norm_except_dim",
    "rrelu_",
]

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")
_BAGS = ("sum", "mean", "max")
_Three = tuple[Tensor, Tensor, Tensor]


def _chosen(op: str, name: str, given: Any, words: tuple[str, ...]) -> Any:
    number = check.integer(op, name, given)
    if not 0 <= number < len(words):
        raise ArgumentError(f"{op}: {name} {number}; a number below {len(words)} is needed")
    return words[number]


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """Return `nn.functional.batch_norm`."""
    return functional.batch_norm(
        input, running_mean, running_var, weight, bias, training, momentum, eps
    )


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """Return `nn.functional.instance_norm`."""
    return functional.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> _Three:
    """Return `nn.functional.batch_norm`, and the means and 1 / sqrt(var + eps) of its batch.

    Without training the last two have no elements.
    """
    result = functional.batch_norm(
        input, running_mean, running_var, weight, bias, training, momentum, eps
    )
    if not training:
        return result, input.new_empty(0), input.new_empty(0)
    dims = [it for it in range(input.ndim) if it != 1]
    return result, input.mean(dims), (input.var(dims, correction=0) + eps).rsqrt()


def native_layer_norm(
    input: Tensor, normalized_shape: Size, weight: Tensor | None, bias: Tensor | None, eps: float
) -> _Three:
    """Return `nn.functional.layer_norm`, and the means and 1 / sqrt(var + eps) of its rows."""
    result = functional.layer_norm(input, normalized_shape, weight, bias, eps)
    dims = [*range(-len(normalized_shape), 0)]
    spread = (input.var(dims, correction=0, keepdim=True) + eps).rsqrt()
    return result, input.mean(dims, keepdim=True), spread


def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,  # noqa: N803
    C: int,  # noqa: N803
    HxW: int,  # noqa: N803
    group: int,
    eps: float,
) -> _Three:
    """Return `nn.functional.group_norm`, and the means and 1 / sqrt(var + eps) of its groups."""
    result = functional.group_norm(input, group, weight, bias, eps)
    rows = input.reshape(N, group, C // group * HxW)
    return result, rows.mean(-1), (rows.var(-1, correction=0) + eps).rsqrt()


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Set elements to 0 at random, in place."""
    return functional.dropout(input, p, train, inplace=True)


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Set whole channels to 0 at random."""
    return functional.dropout2d(input, p, train)


def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Zero whole channels in place: `functional.dropout2d` with other names."""
    return functional.dropout2d(input, p, train, inplace=True)


def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`functional.alpha_dropout`, in place."""
    return functional.alpha_dropout(input, p, train, inplace=True)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`functional.feature_alpha_dropout` with other names."""
    return functional.feature_alpha_dropout(input, p, train)


def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """The same, in place."""
    return functional.feature_alpha_dropout(input, p, train, inplace=True)


def rrelu_(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False
) -> Tensor:
    """`functional.rrelu`, in place."""
    return functional.rrelu(input, lower, upper, training, inplace=True)


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norms of what a tensor has at each place of a dim, as weight norm divides by; -1: of all.

    Raises:
        IndexOutOfRangeError: No dim of that number.
    """
    if dim == -1:
        return v.norm(pow)
    kept = range(v.ndim)[dim] if -v.ndim <= dim < v.ndim else dim
    others = [it for it in range(v.ndim) if it != kept]
    if len(others) == v.ndim:
        raise IndexOutOfRangeError(
            f"norm_except_dim: dim {shown(dim)} of {v.ndim} dims; one of them is needed"
        )
    return _engine.norm(v, pow, others, keepdim=True) if others else v.abs()


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Set elements to 0 at random, and return where they are kept, too."""
    if train is False or p == 0:
        return input.clone(), _engine.ones_like(input, dtype=_engine.bool)
    kept = functional.dropout(_engine.ones_like(input), p, True)
    return input * kept, kept != 0


def constant_pad_nd(input: Tensor, pad: Size, value: Number = 0) -> Tensor:
    """Put a number around a tensor."""
    padded: Tensor = functional.pad(input, pad, "constant", value)
    return padded


def adaptive_max_pool1d(input: Tensor, output_size: int | Size) -> tuple[Tensor, Tensor]:
    """Return the largest elements of windows, as many as asked for, and where they are."""
    found: tuple[Tensor, Tensor] = functional.adaptive_max_pool1d(input, output_size, True)
    return found


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: int | Size,
    stride: int | Size = (),
    padding: int | Size = 0,
    dilation: int | Size = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the largest elements of windows, and where they are."""
    step = None if stride in ((), []) else stride
    found: tuple[Tensor, Tensor] = functional.max_pool1d(
        input, kernel_size, step, padding, dilation, ceil_mode, True
    )
    return found


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """Return `nn.functional.grid_sample`; modes are "bilinear", "nearest", "bicubic" in order."""
    mode = _chosen("grid_sampler", "interpolation_mode", interpolation_mode, _MODES)
    padding = _chosen("grid_sampler", "padding_mode", padding_mode, _PADDINGS)
    return functional.grid_sample(input, grid, mode, padding, align_corners)


grid_sampler_2d = grid_sampler
grid_sampler_3d = grid_sampler


def affine_grid_generator(theta: Tensor, size: Size, align_corners: bool) -> Tensor:
    """Return `nn.functional.affine_grid`."""
    return functional.affine_grid(theta, size, align_corners)


def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return sums, means or maxima of rows by bags, each row's bag, bags' sizes and their starts.

    The last three are what PyTorch's backward keeps; of maxima the places are not told.
    """
    result = functional.embedding_bag(
        indices,
        weight,
        offsets,
        scale_grad_by_freq=scale_grad_by_freq,
        mode=_chosen("embedding_bag", "mode", mode, _BAGS),
        sparse=sparse,
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
    starts = offsets[:-1] if include_last_offset else offsets
    places = _engine.arange(indices.numel(), device=indices.device)
    bag_of = _engine.searchsorted(starts.long(), places, right=True) - 1
    sizes = _engine.bincount(bag_of, minlength=starts.numel())
    return result, bag_of, sizes, starts


def _slopes(op: str, **given: Any) -> tuple[Tensor, Tensor, int, Any]:
    grad = check.tensor(op, "grad_output", given["grad_output"])
    output = check.tensor(op, "output", given["output"])
    dtype = check.of_type(_engine.dtype, op, "input_dtype", given["input_dtype"])
    return grad, output, check.place(op, "dim", given["dim"], output.ndim), dtype


def _softmax_backward_data(
    grad_output: Tensor, output: Tensor, dim: int, input_dtype: DType
) -> Tensor:
    """Return the gradient of a softmax's input, from its output."""
    grad, output, place, dtype = _slopes(
        "_softmax_backward_data",
        grad_output=grad_output,
        output=output,
        dim=dim,
        input_dtype=input_dtype,
    )
    parts = grad * output
    return (parts - output * parts.sum(place, keepdim=True)).to(dtype)


def _log_softmax_backward_data(
    grad_output: Tensor, output: Tensor, dim: int, input_dtype: DType
) -> Tensor:
    """Return the gradient of a log_softmax's input, from its output."""
    grad, output, place, dtype = _slopes(
        "_log_softmax_backward_data",
        grad_output=grad_output,
        output=output,
        dim=dim,
        input_dtype=input_dtype,
    )
    return (grad - output.exp() * grad.sum(place, keepdim=True)).to(dtype)
