"""Normalization: what is brought to mean 0 and variance 1, or to mean square 1."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import channels_last, channels_last_3d
from garboard._arguments.overridable import all_overridable
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._contexts.grad_mode import no_grad
from garboard._contexts.stopping import Enough
from garboard._engine import ShapeError, Tensor, bfloat16, float16, float32

__all__ = ["batch_norm", "group_norm", "instance_norm", "local_response_norm", "rms_norm"]

_LEAST_PLACES = 8  # of fewer the kernel of slabs makes short rows


def _by_channel(x: Tensor, ndim: int) -> Tensor:
    """[channels] as it stands beside [rows, channels, ...]."""
    return x.reshape([1, -1, *[1] * (ndim - 2)])


def _refuse_unless_by_channel(
    op: str,
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
) -> None:
    channels = input.shape[1]
    for name, given in (
        ("running_mean", running_mean),
        ("running_var", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        if given is not None and check.tensor(op, name, given).shape != (channels,):
            raise ShapeError(
                f"{op}: {name} has sizes {list(given.shape)}; [{channels}] are needed for an input "
                f"of sizes {list(input.shape)}"
            )


def _in_float(x: Tensor) -> Tensor:
    """`x`, or where it is of a half type, whose squares overflow, its elements in float32."""
    return x.float() if x.itemsize == 2 else x


def _has_kernel(input: Tensor, *others: Tensor | None) -> bool:
    """Whether one kernel does it all: of one dtype, or float32 beside half types, for channels."""
    fitting = (input.dtype, float32) if input.dtype in (float16, bfloat16) else (input.dtype,)
    return (
        input.is_floating_point()
        and prod(input.shape[2:]) >= _LEAST_PLACES
        and input.numel() > 0
        and all(o is None or (o.dtype in fitting and o.device == input.device) for o in others)
    )


def _affine(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    if weight is not None:
        x = x * _by_channel(weight, x.ndim)
    return x if bias is None else x + _by_channel(bias, x.ndim)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Bring each channel to mean 0 and variance 1, then scale and shift it.

    (x - mean) / sqrt(var + eps) * weight + bias, over all rows and places (Ioffe and Szegedy,
    arXiv:1502.03167). Training uses the batch's own mean and variance, divided by the count, and
    moves the running ones towards them by `momentum`, that of the variance divided by the count
    less 1.

    Args:
        input: [rows, channels, ...], of a floating dtype.
        running_mean: [channels], written in place in training; or None.
        running_var: [channels], likewise.
        weight: [channels], or None.
        bias: [channels], or None.
        training: Use the batch's own mean and variance.
        momentum: How far the running ones move.
        eps: What is added to the variance; in training more than 0.

    Returns:
        A new tensor of the input's sizes.

    Raises:
        ShapeError: Fewer than two dims, other numbers of channels, or training on one element a
            channel.
        ValueError: Neither training nor running statistics; an `eps` of 0 or less in training, a
            negative one outside of it.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.batch_norm(gb.tensor([[1.0], [3.0]]), None, None, training=True).round()
    tensor([[-1.],
            [ 1.]])
    """
    op = "batch_norm"
    if check.tensor(op, "input", input).shape == (0,):
        return input.clone()
    if input.ndim < 2:
        raise ShapeError(
            f"{op}: an input of sizes {list(input.shape)}; [rows, channels, ...] is needed"
        )
    channels = input.shape[1]
    _refuse_unless_by_channel(op, input, running_mean, running_var, weight, bias)
    added = check.worth(op, "eps", eps)
    if added < 0 or (training and added == 0):
        least = "more than 0 is needed in training" if training else "0 or more is needed"
        raise ArgumentError(f"{op}: eps {added}; {least}")
    if not training:
        if running_mean is None or running_var is None:
            raise ArgumentError(f"{op}: no running statistics outside of training; both are needed")
        scale = (_in_float(running_var) + eps).rsqrt()
        scale = scale if weight is None else scale * weight
        shift = running_mean * scale
        shift = -shift if bias is None else bias - shift
        wide = _in_float(input)
        formats = channels_last, channels_last_3d
        if not any(wide.is_contiguous(memory_format=it) for it in formats):
            wide = wide.contiguous()  # as in PyTorch
        out = _engine._scale_channels(wide, scale.to(wide.dtype), shift.to(wide.dtype))
        return out.to(input.dtype)
    count = input.numel() // channels if channels else 0
    if count == 1:
        raise ShapeError(
            f"{op}: sizes {list(input.shape)} in training, one element a channel; more are needed"
        )
    try:
        out, mean, variance = _with_statistics(input, weight, bias, eps)
    except Enough:  # done again for backward, which has what it needs: what was done is counted
        with no_grad():
            _, mean, variance = _with_statistics(input, weight, bias, eps)
        _follow(running_mean, running_var, mean, variance, momentum, count)
        raise
    _follow(running_mean, running_var, mean, variance, momentum, count)
    return out


def _with_statistics(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalised by its own mean and variance, and these."""
    if _has_kernel(input, weight, bias):
        out, mean, variance = _engine._channel_norm(input, weight, bias, 0, eps)
        return out, mean, variance
    dims = [0, *range(2, input.ndim)]
    wide = _in_float(input)
    mean = wide.mean(dims, keepdim=True)
    centered = wide - mean
    variance = centered.square().mean(dims, keepdim=True)
    out = _affine(centered * (variance + eps).rsqrt(), weight, bias).to(input.dtype)
    return out, mean, variance


def _follow(
    running_mean: Tensor | None,
    running_var: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    momentum: float,
    count: int,
) -> None:
    """Move the running statistics towards those of a batch; without rows there is nothing."""
    with no_grad():
        if running_mean is not None and count:
            running_mean.lerp_(mean.detach().flatten().to(running_mean.dtype), momentum)
        if running_var is not None and count:
            spread = variance.detach().flatten() * (count / (count - 1))
            running_var.lerp_(spread.to(running_var.dtype), momentum)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Bring each channel of each row to mean 0 and variance 1, then scale and shift the channel.

    Ulyanov, Vedaldi and Lempitsky, arXiv:1607.08022.

    Args:
        input: [rows, channels, ...] with one place at least, of a floating dtype.
        running_mean: [channels], moved towards the mean over rows; or None.
        running_var: [channels], likewise.
        weight: [channels], or None.
        bias: [channels], or None.
        use_input_stats: False uses the running statistics, as `batch_norm` does.
        momentum: How far the running ones move.
        eps: What is added to the variance.

    Returns:
        A new tensor of the input's sizes.

    Raises:
        ShapeError: Fewer than three dims, one place a channel, or other numbers of channels.
        ValueError: No running statistics where they are to be used.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.instance_norm(gb.tensor([[[1.0, 3.0]]])).round()
    tensor([[[-1.,  1.]]])
    """
    op = "instance_norm"
    if check.tensor(op, "input", input).ndim < 3:
        raise ShapeError(
            f"{op}: an input of sizes {list(input.shape)}; [rows, channels, ...] with places is "
            "needed"
        )
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    _refuse_unless_by_channel(op, input, running_mean, running_var, weight, bias)
    dims = list(range(2, input.ndim))
    count = prod(input.shape[2:])
    if count == 1:
        raise ShapeError(f"{op}: sizes {list(input.shape)}, one place a channel; more are needed")
    if _has_kernel(input, weight, bias):
        out, mean, variance = _engine._channel_norm(input, weight, bias, input.shape[1], eps)
    else:
        wide = _in_float(input)
        mean = wide.mean(dims, keepdim=True)
        centered = wide - mean
        variance = centered.square().mean(dims, keepdim=True)
        out = _affine(centered * (variance + eps).rsqrt(), weight, bias).to(input.dtype)
    with no_grad():
        if running_mean is not None:
            average = mean.detach().flatten(1).mean(0)
            running_mean.lerp_(average.to(running_mean.dtype), momentum)
        if running_var is not None and count:
            spread = variance.detach().flatten(1).mean(0) * (count / (count - 1))
            running_var.lerp_(spread.to(running_var.dtype), momentum)
    return out


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Bring each group of channels of each row to mean 0 and variance 1, then scale and shift.

    Wu and He, "Group normalization", arXiv:1803.08494.

    Args:
        input: [rows, channels, ...], of a floating dtype.
        num_groups: How many groups the channels make; it divides their number.
        weight: [channels], or None.
        bias: [channels], or None.
        eps: What is added to the variance.

    Returns:
        A new tensor of the input's sizes.

    Raises:
        ShapeError: Fewer than two dims, groups that do not divide the channels, or a weight or
            bias of other sizes.
        TypeError: Something that is no Tensor, or no integer.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.group_norm(gb.tensor([[1.0, 3.0, 10.0, 30.0]]), 2).round()
    tensor([[-1.,  1., -1.,  1.]])
    """
    if count_of_blocks():
        input, weight, bias = as_listed("group_norm", input, weight, bias)
    op = "group_norm"
    groups = check.count(op, "num_groups", num_groups, 1)
    shape = list(check.tensor(op, "input", input).shape)
    if len(shape) < 2 or shape[1] % groups or 0 in shape[1:]:
        raise ShapeError(
            f"{op}: an input of sizes {shape} in {groups} groups; [rows, channels, ...] with "
            "places, and a number of channels that they divide, is needed"
        )
    if input.numel() == shape[0] * groups == groups:
        raise ShapeError(
            f"{op}: an input of sizes {shape} in {groups} groups; more than one value for each is "
            "needed"
        )
    _refuse_unless_by_channel(op, input, None, None, weight, bias)
    if not input.numel():
        return _affine(input.clone(), weight, bias)
    if _has_kernel(input, weight, bias):
        return _engine._channel_norm(input, weight, bias, groups, eps)[0]
    parts = _in_float(input).reshape(shape[0], groups, -1)
    normal = _engine.layer_norm(parts, [parts.shape[2]], None, None, eps)
    return _affine(normal.reshape(shape), weight, bias).to(input.dtype)


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Bring the last dims to mean square 1, then scale each element.

    x / sqrt(mean(x^2) + eps) * weight (Zhang and Sennrich, arXiv:1910.07467).

    Args:
        input: Tensor of a floating dtype, whose last sizes are `normalized_shape`.
        normalized_shape: The sizes of the last dims.
        weight: Of these sizes, or None.
        eps: What is added to the mean; the dtype's own epsilon by default.

    Returns:
        A new tensor of the input's sizes.

    Raises:
        ShapeError: The last sizes, or those of `weight`, are others.
        TypeError: Something that is no Tensor, or no integer.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.rms_norm(gb.tensor([3.0, 3.0]), [2]).round()
    tensor([1., 1.])
    """
    if count_of_blocks():
        input, weight = as_listed("rms_norm", input, weight)
    op = "rms_norm"
    sizes = check.sizes(op, "normalized_shape", normalized_shape)
    check.tensor(op, "input", input)
    if not sizes or tuple(input.shape[-len(sizes) :]) != sizes:
        raise ShapeError(
            f"{op}: an input of sizes {list(input.shape)} and a normalized_shape of {list(sizes)}; "
            "its last sizes are needed"
        )
    if weight is not None and check.tensor(op, "weight", weight).shape != sizes:
        raise ShapeError(
            f"{op}: weight has sizes {list(weight.shape)}; the normalized_shape {list(sizes)} is "
            "needed"
        )
    if eps is None:
        eps = {8: 2.0**-52, 4: 2.0**-23}.get(input.itemsize, 2.0**-10)
    wide = _in_float(input).contiguous()  # row-major, as in PyTorch
    square = wide.square().mean(list(range(-len(sizes), 0)), keepdim=True)
    normal = wide * (square + eps).rsqrt()
    return (normal if weight is None else normal * weight).to(input.dtype)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide each element by a power of the mean square of the channels around it.

    x / (k + alpha * mean)^beta, zeros beyond the first and the last channel (Krizhevsky et al.,
    2012).

    Args:
        input: [rows, channels, ...], of a floating dtype.
        size: How many channels are looked at.
        alpha: How much the mean counts.
        beta: The power.
        k: What is added.

    Returns:
        A new tensor of the input's sizes.

    Raises:
        ShapeError: Fewer than three dims.
        TypeError: Something that is no Tensor, or no number.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.local_response_norm(gb.ones(1, 1, 1), 1, alpha=3.0, beta=0.5)
    tensor([[[0.5000]]])
    """
    op = "local_response_norm"
    if count_of_blocks():
        (input,) = as_listed(op, input)
    count = check.count(op, "size", size, 1)
    if check.tensor(op, "input", input).ndim < 3:
        raise ShapeError(
            f"{op}: an input of sizes {list(input.shape)}; [rows, channels, ...] with places is "
            "needed"
        )
    if not input.numel():
        return input.clone()
    channels = input.shape[1]
    # No window is wider than all channels on both sides.
    before, after = min(count // 2, channels), min((count - 1) // 2, channels)
    squares = _engine.pad(input.square().flatten(2), (0, 0, before, after))
    mean = squares.unfold(1, before + 1 + after, 1).sum(-1).reshape(input.shape) / count
    return input / (mean * alpha + k).pow(beta)


all_overridable(globals())
