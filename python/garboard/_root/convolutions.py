"""Convolutions as PyTorch's graphs name them: of any dims, forward or transposed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor
from garboard.nn import functional

__all__ = ["_convolution", "convolution"]

_Layer = Callable[..., Tensor]
_FORWARD: tuple[_Layer, ...] = (functional.conv1d, functional.conv2d, functional.conv3d)
_TRANSPOSED: tuple[_Layer, ...] = (
    functional.conv_transpose1d,
    functional.conv_transpose2d,
    functional.conv_transpose3d,
)


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """Return `nn.functional.conv1d`, `conv2d` or `conv3d`, or one of the transposed three.

    Args:
        input: [batch, channels, *places], of one to three dims of places.
        weight: [out channels, channels / groups, *taps]; where it is transposed, [channels, out
            channels / groups, *taps].
        bias: One number an out channel.
        stride: One number a dim, or one for all.
        padding: Likewise.
        dilation: Likewise.
        transposed: Whether it is the transposed layer.
        output_padding: What is added behind, one number a dim; the transposed layer's alone.
        groups: How many parts the channels are in.

    Raises:
        ShapeError: A weight of other than three to five dims, or sizes that do not fit.

    >>> x, taps = gb.arange(4.0).reshape(1, 1, 4), gb.ones(1, 1, 2)
    >>> gb.convolution(x, taps, None, [1], [0], [1], False, [0], 1)
    tensor([[[1., 3., 5.]]])
    """
    dims = check.tensor("convolution", "weight", weight).ndim - 2
    if not 1 <= dims <= len(_FORWARD):
        raise ShapeError(
            f"convolution: weight of sizes {list(weight.shape)}; three to five dims are needed"
        )
    if transposed:
        layer = _TRANSPOSED[dims - 1]
        return layer(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return _FORWARD[dims - 1](input, weight, bias, stride, padding, dilation, groups)


def _convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    benchmark: bool,
    deterministic: bool,
    cudnn_enabled: bool,
    allow_tf32: bool,
) -> Tensor:
    """Return `convolution`; what the last four choose among is one thing here."""
    return convolution(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )
