"""Losses of one number at a time, made of ops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._contexts.autocasting import count_of_blocks, in_float32
from garboard._engine import ShapeError, Tensor, where, xlogy
from garboard.nn.functional._reduction import (
    check_equal,
    check_pair,
    chosen,
    reduced,
    reduction_by,
    weighed,
)

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "gaussian_nll_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
]

_LEAST_LOG = -100.0


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Compute |input - target|.

    The slope at 0 is 0.

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of the same sizes; others that broadcast are taken with a warning.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss an element.
        weight: How much each element counts; the mean is over the weights.

    Returns:
        A new tensor: without dims, or one loss an element.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.l1_loss(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 4.0]))
    tensor(1.)
    """
    reduction = reduction_by("l1_loss", size_average, reduce, reduction)
    if count_of_blocks():
        input, target = in_float32(input, target)
    check_pair("l1_loss", input, target)
    losses = weighed("l1_loss", (input - target).abs(), weight)
    if weight is not None and reduction == "mean":
        return losses.sum() / weight.expand(losses.shape).sum()
    return reduced("l1_loss", losses, reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Compute the distance, squared where it is small.

    d^2 / (2 beta) where d = |input - target| < beta, else d - beta / 2 (Girshick,
    arXiv:1504.08083).

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of the same sizes; others that broadcast are taken with a warning.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss an element.
        beta: Where the square ends; 0 is `l1_loss`.

    Returns:
        A new tensor: without dims, or one loss an element.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.smooth_l1_loss(gb.tensor([0.5, 3.0]), gb.zeros(2), reduction="none")
    tensor([0.1250, 2.5000])
    """
    reduction = reduction_by("smooth_l1_loss", size_average, reduce, reduction)
    if count_of_blocks():
        input, target = in_float32(input, target)
    check_pair("smooth_l1_loss", input, target)
    turn = check.rate("smooth_l1_loss", "beta", beta)
    if turn == 0:
        return reduced("smooth_l1_loss", (input - target).abs(), reduction)
    losses = _engine._huber_loss(input, target, turn, reduction=chosen("smooth_l1_loss", reduction))
    return losses if turn == 1 else losses / turn


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: Reduction = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Compute half the square of the distance, and a line beyond `delta`.

    d^2 / 2 where d = |input - target| < delta, else delta * (d - delta / 2) (Huber, 1964).

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of the same sizes; others that broadcast are taken with a warning.
        reduction: "mean", "sum", or "none" for one loss an element.
        delta: Where the line begins; positive.
        weight: What each loss is multiplied with; the mean is over the elements, as in PyTorch.

    Returns:
        A new tensor: without dims, or one loss an element.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction, or an option out of range.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.huber_loss(gb.tensor([0.5, 3.0]), gb.zeros(2), "none")
    tensor([0.1250, 2.5000])
    """
    if count_of_blocks():
        input, target = in_float32(input, target)
    check_pair("huber_loss", input, target)
    if not check.worth("huber_loss", "delta", delta) > 0:
        raise ArgumentError("huber_loss: delta is not above 0; a positive one is needed")
    if weight is not None:
        losses = _engine._huber_loss(input, target, delta, reduction="none")
        return reduced("huber_loss", weighed("huber_loss", losses, weight), reduction)
    return _engine._huber_loss(input, target, delta, reduction=chosen("huber_loss", reduction))


def _bounded(logarithm: Tensor) -> Tensor:
    return logarithm.clamp(min=_LEAST_LOG)


def _log_from_0(x: Tensor) -> Tensor:
    """The bounded logarithm of what may be 0 or 1.

    There the slopes are PyTorch's: 1e12 and no infinity at 0, and 0 at 1, where the whole loss has
    the slope (x - target) / 1e-12.
    """
    is_inside = (x > 0) & (x < 1)
    steep = 6e4 if x.dtype is _engine.float16 else 1e12
    at_ends = where(x < 1, x * steep + _LEAST_LOG, 0.0)
    return where(is_inside, _bounded(where(is_inside, x, 1.0).log()), at_ends)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute -(target * ln input + (1 - target) * ln(1 - input)) of probabilities.

    Logarithms are bounded by -100 from below, as in PyTorch.

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of the same sizes.
        weight: How much each element counts.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss an element.

    Returns:
        A new tensor: without dims, or one loss an element.

    Raises:
        ShapeError: Sizes that do not fit, or an input beyond [0, 1].
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.binary_cross_entropy(gb.tensor([0.5]), gb.tensor([1.0]))
    tensor(0.6931)
    """
    reduction = reduction_by("binary_cross_entropy", size_average, reduce, reduction)
    if count_of_blocks():
        input, target = in_float32(input, target)
    op = "binary_cross_entropy"
    check_equal(op, input, target)
    has_ends = bool(((input <= 0) | (input >= 1)).any())
    if has_ends and bool(((input < 0) | (input > 1)).any()):
        raise ShapeError(f"{op}: an input beyond [0, 1]; probabilities are needed")
    if has_ends:
        yes, no = _log_from_0(input), _log_from_0(1 - input)
    else:
        yes, no = _bounded(input.log()), _bounded((-input).log1p())
    losses = -(yes * target + no * (1 - target))
    return reduced(op, weighed(op, losses, weight), reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Compute the cross entropy of the sigmoid of `input`, without overflow.

    (1 - target) * input + (1 + (pos_weight - 1) * target) * ln(1 + e^-input).

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of the same sizes.
        weight: How much each element counts.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss an element.
        pos_weight: How much targets of 1 count, by class.

    Returns:
        A new tensor: without dims, or one loss an element.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.binary_cross_entropy_with_logits(gb.zeros(2), gb.ones(2))
    tensor(0.6931)
    """
    reduction = reduction_by("binary_cross_entropy_with_logits", size_average, reduce, reduction)
    if count_of_blocks():
        input, target = in_float32(input, target)
    check_equal("binary_cross_entropy_with_logits", input, target)
    op = "binary_cross_entropy_with_logits"
    rest = _engine._softplus(-input)
    if pos_weight is not None:
        rest = rest * (1 + (check.tensor(op, "pos_weight", pos_weight) - 1) * target)
    losses = (1 - target) * input + rest
    return reduced(op, weighed(op, losses, weight), reduction)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Compute target * (ln target - input): how far `input`, in logarithms, is from `target`.

    Elements of the target that are 0 count for 0 (Kullback and Leibler, 1951).

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of the same sizes; others that broadcast are taken with a warning.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "batchmean" divides the sum by the size of dim 0; "mean" by all elements; or
            "sum", "none".
        log_target: `target` is given in logarithms, too.

    Returns:
        A new tensor: without dims, or one loss an element.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.kl_div(gb.zeros(1, 2), gb.ones(1, 2), reduction="batchmean")
    tensor(0.)
    """
    reduction = reduction_by("kl_div", size_average, reduce, reduction)
    if count_of_blocks():
        input, target = in_float32(input, target)
    check_pair("kl_div", input, target)
    if check.flag("kl_div", "log_target", log_target):
        losses = target.exp() * (target - input)
    else:
        losses = xlogy(target, target) - target * input
    if reduction == "batchmean":
        return losses.sum() / max(input.shape[0] if input.ndim else 1, 1)
    return reduced("kl_div", losses, reduction)  # type: ignore[arg-type]


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute the loss of counts that `input` is the rate of.

    e^input - target * input; without `log_input`, input - target * ln(input + eps).

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of the same sizes; others that broadcast are taken with a warning.
        log_input: `input` is the logarithm of the rate.
        full: Add Stirling's approximation of ln target!, for targets above 1.
        size_average: PyTorch's older way to say it: False asks for the sum.
        eps: Keeps the logarithm finite.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss an element.

    Returns:
        A new tensor: without dims, or one loss an element.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.poisson_nll_loss(gb.zeros(1), gb.ones(1))
    tensor(1.)
    """
    reduction = reduction_by("poisson_nll_loss", size_average, reduce, reduction)
    if count_of_blocks():
        input, target = in_float32(input, target)
    check_pair("poisson_nll_loss", input, target)
    if check.flag("poisson_nll_loss", "log_input", log_input):
        losses = input.exp() - target * input
    else:
        losses = input - target * (input + eps).log()
    if check.flag("poisson_nll_loss", "full", full):
        many = where(target > 1, target, 2.0)
        rest = many * many.log() - many + 0.5 * (many * 6.283185307179586).log()
        losses = losses + where(target > 1, rest, 0.0)
    return reduced("poisson_nll_loss", losses, reduction)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute ln(1 + e^(-target * input)) of targets that are 1 or -1.

    The logistic loss.

    Args:
        input: Tensor of any shape and of a floating dtype.
        target: Tensor of the same sizes.
        size_average: PyTorch's older way to say it: False asks for the sum.
        reduce: Likewise: False asks for one loss each.
        reduction: "mean", "sum", or "none" for one loss an element.

    Returns:
        A new tensor: without dims, or one loss an element.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.soft_margin_loss(gb.zeros(1), gb.ones(1))
    tensor(0.6931)
    """
    reduction = reduction_by("soft_margin_loss", size_average, reduce, reduction)
    if count_of_blocks():
        input, target = in_float32(input, target)
    check_equal("soft_margin_loss", input, target)
    return reduced("soft_margin_loss", _engine._softplus(input * -target), reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: Reduction = "mean",
) -> Tensor:
    """Compute the loss of numbers that were drawn around `input` with variance `var`.

    (ln max(var, eps) + (input - target)^2 / max(var, eps)) / 2 (Nix and Weigend, 1994).

    Args:
        input: Tensor of any shape and of a floating dtype: the means.
        target: Tensor of the same sizes; others that broadcast are taken with a warning.
        var: The variances, which are not negative: of the input's sizes, with a last dim of 1 or
            without it, or a number.
        full: Add ln(2 pi) / 2.
        eps: The least variance; no gradient passes below it.
        reduction: "mean", "sum", or "none" for one loss an element.

    Returns:
        A new tensor: without dims, or one loss an element.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: Another reduction, or a negative variance.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.gaussian_nll_loss(gb.zeros(1), gb.ones(1), gb.ones(1))
    tensor(0.5000)
    """
    op = "gaussian_nll_loss"
    check_pair(op, input, target)
    given = var if isinstance(var, Tensor) else _engine.full_like(input, var)
    if given.shape == input.shape[:-1] and given.shape != input.shape:
        given = given.unsqueeze(-1)
    if bool((given < 0).any()):
        raise ArgumentError(f"{op}: a negative variance; 0 or more is needed")
    # The clamp is not differentiated: a variance below eps still learns.
    spread = given + (given.detach().clamp(min=eps) - given.detach())
    losses = 0.5 * (spread.log() + (input - target).square() / spread)
    if check.flag(op, "full", full):
        losses = losses + 0.9189385332046727
    return reduced(op, losses, reduction)


all_overridable(globals())
