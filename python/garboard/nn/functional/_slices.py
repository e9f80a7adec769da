"""Functions of slices along a dim: gates, norms, distances, samples."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._engine import ShapeError, Tensor, where
from garboard.nn.functional._activations import leaky_relu
from garboard.nn.functional._places import given

__all__ = [
    "cosine_similarity",
    "glu",
    "gumbel_softmax",
    "normalize",
    "pairwise_distance",
    "prelu",
    "rrelu",
]


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Multiply the first half along a dim by the sigmoid of the second.

    Dauphin et al., "Language modeling with gated convolutional networks", arXiv:1612.08083.

    Args:
        input: Tensor of a floating dtype, of even size along `dim`.
        dim: What is halved.

    Returns:
        A new tensor, half as large along `dim`.

    Raises:
        ShapeError: The size is odd, or `dim` out of range.
        DTypeError: `input` is not floating.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.glu(gb.tensor([2.0, 0.0]))
    tensor([1.])
    """
    return _engine._glu(check.tensor("glu", "input", input), dim)


def normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Divide each slice along a dim by its norm.

    Args:
        input: Tensor of a floating dtype.
        p: The power of the norm; `inf` takes the greatest absolute value.
        dim: Along which dim a slice lies.
        eps: The least that is divided by.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same shape.

    Raises:
        ShapeError: `dim` is out of range.
        DTypeError: The dtype is not a floating one.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.normalize(gb.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    check.tensor("normalize", "input", input)
    power = check.worth("normalize", "p", p)
    return written(
        "normalize",
        input / input.norm(power, dim, keepdim=True).clamp(min=eps),
        out,
    )


@takes_axis
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Compute the cosine of the angle between slices of two tensors.

    (x1 . x2) / (max(|x1|, eps) * max(|x2|, eps)).

    Args:
        x1: Tensor of a floating dtype.
        x2: Tensor whose sizes broadcast with `x1`'s.
        dim: Along which dim a slice lies.
        eps: The least that is divided by.

    Returns:
        A new tensor without `dim`.

    Raises:
        ShapeError: The sizes do not broadcast, or `dim` is out of range.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.cosine_similarity(gb.tensor([[3.0, 4.0]]), gb.tensor([[4.0, 3.0]]))
    tensor([0.9600])
    """
    if count_of_blocks():
        x1, x2 = as_listed("cosine_similarity", x1, x2)
    check.tensors_that_meet("cosine_similarity", x1=x1, x2=x2)
    if x1.shape != x2.shape:  # a slice may be as long as the other's alone
        x1, x2 = _engine.broadcast_tensors(x1, x2)
    product = (x1 * x2).sum(dim)
    is_whole = not (product.is_floating_point() or product.is_complex())
    dtype = _engine.float32 if is_whole else product.dtype
    lengths = [x.to(dtype).norm(2, dim).clamp(min=eps) for x in (x1, x2)]
    return product / (lengths[0] * lengths[1])


@takes_axis
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Compute the norm of x1 - x2 + eps along the last dim.

    Args:
        x1: Tensor of a floating dtype.
        x2: Tensor whose sizes broadcast with `x1`'s.
        p: The power of the norm.
        eps: Keeps the slope finite where both are equal.
        keepdim: Keep the last dim, of size 1.

    Returns:
        A new tensor.

    Raises:
        ShapeError: The sizes do not broadcast.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.pairwise_distance(gb.tensor([3.0, 4.0]), gb.zeros(2))
    tensor(5.0000)
    """
    check.tensors_that_meet("pairwise_distance", x1=x1, x2=x2)
    difference = x1 - x2 + eps
    return difference.norm(check.worth("pairwise_distance", "p", p), -1, keepdim=keepdim)


def gumbel_softmax(
    logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Draw from a distribution over classes so that gradients pass.

    softmax((logits + g) / tau), with g = -ln(-ln(u)) and u uniform (Jang et al., arXiv:1611.01144).

    Args:
        logits: Tensor of a floating dtype: logarithms of probabilities, up to a constant.
        tau: How soft a sample is; near 0 it is nearly one-hot.
        hard: Return one-hot samples, with the gradient of the soft ones.
        eps: Ignored.
        dim: Along which dim the classes lie.

    Returns:
        A new tensor of the same shape, whose slices along `dim` sum to one.

    Raises:
        ShapeError: `dim` is out of range.
        DTypeError: The dtype is not a floating one.
        DisposedError: `logits` is disposed.

    >>> gb.nn.functional.gumbel_softmax(gb.tensor([0.0, 1000.0]), hard=True)
    tensor([0., 1.])
    """
    drawn = _engine.rand_like(check.tensor("gumbel_softmax", "logits", logits).detach())
    noise = -(-(drawn.clamp_(min=1e-30).log())).clamp_(min=1e-30).log()
    soft = _engine.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    places = soft.detach().argmax(dim, keepdim=True)
    shape = [1] * soft.ndim
    shape[dim] = soft.size(dim)
    classes = _engine.arange(soft.size(dim), device=soft.device).reshape(shape)
    return (classes == places).to(soft.dtype) - soft.detach() + soft


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Multiply what is negative by a slope: one for all, or one a channel.

    Args:
        input: Tensor of a floating dtype; its channels are dim 1.
        weight: One element, or [channels].

    Returns:
        A new tensor of the same shape.

    Raises:
        ShapeError: Another number of channels.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.prelu(gb.tensor([-1.0, 2.0]), gb.tensor([0.5]))
    tensor([-0.5000,  2.0000])
    """
    if count_of_blocks():
        input, weight = as_listed("prelu", input, weight)
    check.tensor("prelu", "input", input)
    count = check.tensor("prelu", "weight", weight).numel()
    if weight.ndim > 1:
        raise ShapeError(
            f"prelu: a weight of sizes {[*weight.shape]}; one number, or one a channel, is needed"
        )
    if count != 1 and (input.ndim < 2 or input.shape[1] != count):
        raise ShapeError(
            f"prelu: {count} slopes for an input of sizes {list(input.shape)}; one, or one a "
            "channel at dim 1, is needed"
        )
    slopes = weight.reshape([1, -1, *[1] * (input.ndim - 2)] if count != 1 else [1] * input.ndim)
    return _engine._leaky_relu(input, slopes)


def rrelu(
    input: Tensor,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Multiply what is negative by a slope that is drawn between two bounds.

    Args:
        input: Tensor of any shape and of a floating dtype.
        lower: The least slope.
        upper: The greatest.
        training: Draw one an element; else their mean is taken.
        inplace: Write into `input`; where a gradient is recorded, backward keeps a copy of it.

    Returns:
        A new tensor of the same shape, or `input` itself.

    Raises:
        ValueError: `lower` is above `upper`.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.rrelu(gb.tensor([-1.0, 2.0]), 0.5, 0.5)
    tensor([-0.5000,  2.0000])
    """
    check.tensor("rrelu", "input", input)
    least, most = check.worth("rrelu", "lower", lower), check.worth("rrelu", "upper", upper)
    if least > most:
        raise ArgumentError(f"rrelu: lower {least} above upper {most}; the first must be the lower")
    input = input if inplace else input.contiguous()  # row-major, as in PyTorch
    if training:
        slope = _engine.rand_like(input.detach()) * (most - least) + least
        return given(input, lambda x: where(x > 0, x, x * slope), inplace)
    return leaky_relu(input, (least + most) / 2, inplace)


all_overridable(globals())
