"""Dropout of elements and of channels."""

from __future__ import annotations

from math import sqrt
from warnings import warn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.callers import level_of_caller
from garboard._arguments.overridable import all_overridable
from garboard._engine import ShapeError, Tensor

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
]

_SATURATED = -1.7580993408473766  # where SELU ends


def _written(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """Backward reads masks alone, so `input` may be written."""
    return input.copy_(result) if inplace else result


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero elements with probability `p` and scale the rest by 1 / (1 - p).

    Args:
        input: Tensor of any shape and of a floating dtype.
        p: The probability, in [0, 1]. Of 0 nothing is drawn, as where `training` is False.
        training: False returns an alias of `input`, or `input` itself with `inplace`.
        inplace: Write into `input`.

    Returns:
        A new tensor, or `input` itself. Backward keeps the mask.

    Raises:
        ValueError: `p` is out of range.
        DTypeError: The dtype is not a floating one.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.dropout(gb.ones(2), p=1.0)
    tensor([0., 0.])
    """
    result = _engine.dropout(input, p, training)
    if not inplace:
        return result
    return input.copy_(result) if training and p else input


def _leading(op: str, input: Tensor, dims: tuple[int, ...], least: int = 0) -> int:
    """How many dims rows and channels take: 2 where there are as many dims as `dims` ends with.

    Other dims than `dims` are refused; from `least` on they only warn, where it is given.
    """
    ndim = check.tensor(op, "input", input).ndim
    if ndim not in dims:
        needed = " or ".join(map(str, dims))
        text = f"{op}: an input of sizes {list(input.shape)}; {needed} dims are needed"
        if not least or ndim < least:
            raise ShapeError(text)
        warn(f"{text}, and others are guessed at", stacklevel=level_of_caller())
    return 2 if ndim == dims[-1] else 1


def _by_channel(
    input: Tensor, p: float, training: bool, inplace: bool, op: str, leading: int
) -> Tensor:
    share = check.share(op, "p", p)
    if not training or not share:
        return input if inplace else input.alias()
    sizes = [*input.shape[:leading], *[1] * (input.ndim - leading)]
    ones = _engine.ones(sizes, dtype=input.dtype, device=input.device)
    mask = _engine.dropout(ones, share, True)
    return _written(input, input * mask, inplace)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels with probability `p` and scale the rest by 1 / (1 - p).

    Args:
        input: [rows, channels, length], or without rows, of a floating dtype.
        p: The probability, in [0, 1].
        training: False returns an alias of `input`, or `input` itself with `inplace`.
        inplace: Write into `input`.

    Returns:
        A new tensor, or `input` itself.

    Raises:
        ValueError: `p` is out of range.
        ShapeError: An input of other dims.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.dropout1d(gb.ones(1, 2, 3), p=1.0).sum().item()
    0.0
    """
    op = "dropout1d"
    return _by_channel(input, p, training, inplace, op, _leading(op, input, (2, 3)))


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels with probability `p` and scale the rest by 1 / (1 - p).

    Args:
        input: [rows, channels, height, width] or [rows, channels, length], of a floating dtype;
            other dims from 2 on warn. Of two every element is a channel.
        p: The probability, in [0, 1].
        training: False returns an alias of `input`, or `input` itself with `inplace`.
        inplace: Write into `input`.

    Returns:
        A new tensor, or `input` itself.

    Raises:
        ValueError: `p` is out of range.
        ShapeError: Too few dims.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.dropout2d(gb.ones(1, 2, 3, 3), p=1.0).sum().item()
    0.0
    """
    op = "dropout2d"
    _leading(op, input, (3, 4), least=2)
    return _by_channel(input, p, training, inplace, op, 2)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero whole channels with probability `p` and scale the rest by 1 / (1 - p).

    Args:
        input: [rows, channels, depth, height, width], or without rows, of a floating dtype;
            other dims warn, and the first of them are the channels.
        p: The probability, in [0, 1].
        training: False returns an alias of `input`, or `input` itself with `inplace`.
        inplace: Write into `input`.

    Returns:
        A new tensor, or `input` itself.

    Raises:
        ValueError: `p` is out of range.
        ShapeError: Too few dims.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.dropout3d(gb.ones(1, 2, 3, 3, 3), p=1.0).sum().item()
    0.0
    """
    op = "dropout3d"
    return _by_channel(input, p, training, inplace, op, _leading(op, input, (4, 5), least=1))


def _alpha(op: str, input: Tensor, p: float, sizes: list[int]) -> Tensor:
    """SELU's end stands in for what is dropped; mean and variance are put back."""
    share = check.worth(op, "p", check.share(op, "p", p))
    if share == 1:
        return input * 0
    like = input.detach()[tuple(slice(size) for size in sizes)]
    kept = _engine.rand_like(like) >= share
    scale = 1 / sqrt((1 - share) * (1 + share * _SATURATED * _SATURATED))
    held = _engine.where(kept, input, _SATURATED).to(input.dtype)
    return held * scale - scale * _SATURATED * share


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Drop elements so that mean 0 and variance 1 stay: for networks of `selu`.

    Klambauer et al., "Self-normalizing neural networks", arXiv:1706.02515.

    Args:
        input: Tensor of any shape and of a floating dtype.
        p: The probability, in [0, 1].
        training: False returns an alias of `input`, or `input` itself with `inplace`.
        inplace: Write into `input`.

    Returns:
        A new tensor, or `input` itself.

    Raises:
        ValueError: `p` is out of range.
        TypeError: Something that is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.alpha_dropout(gb.ones(2), p=0.0, training=True)
    tensor([1., 1.])
    """
    check.share("alpha_dropout", "p", p)
    if not training:
        given = check.tensor("alpha_dropout", "input", input)
        return given if inplace else given.alias()
    result = _alpha(
        "alpha_dropout", check.tensor("alpha_dropout", "input", input), p, [*input.shape]
    )
    return _written(input, result, inplace)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Drop whole channels so that mean 0 and variance 1 stay, as `alpha_dropout` does elements.

    Args:
        input: [rows, channels, ...], of a floating dtype; of any sizes without `training`.
        p: The probability, in [0, 1].
        training: False returns an alias of `input`, or `input` itself with `inplace`.
        inplace: Write into `input`.

    Returns:
        A new tensor, or `input` itself.

    Raises:
        ValueError: `p` is out of range.
        ShapeError: Fewer than two dims.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.feature_alpha_dropout(gb.ones(1, 2), p=0.0, training=True)
    tensor([[1., 1.]])
    """
    op = "feature_alpha_dropout"
    check.share(op, "p", p)
    if not training:
        given = check.tensor(op, "input", input)
        return given if inplace else given.alias()
    _leading(op, input, tuple(range(2, 9)))
    shape = [*input.shape[:2], *[1] * (input.ndim - 2)]
    return _written(input, _alpha(op, input, p, shape), inplace)


all_overridable(globals())
