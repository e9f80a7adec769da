"""Losses as PyTorch's native functions take them: the reduction is 0, 1 or 2.

By default it is 0, which is none: PyTorch's declarations say the mean, its parser reads 0.
"""

from __future__ import annotations

from typing import Any

from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.nn import functional

__all__ = [
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "ctc_loss",
    "hinge_embedding_loss",
    "kl_div",
    "margin_ranking_loss",
    "poisson_nll_loss",
    "triplet_margin_loss",
]

_REDUCTIONS = ("none", "mean", "sum")


def _word(op: str, reduction: Any) -> Any:
    """The word for a reduction's number; words are taken as they are."""
    if isinstance(reduction, str):
        return reduction
    if isinstance(reduction, bool) or reduction not in (0, 1, 2):
        raise ArgumentError(f"{op}: reduction {shown(reduction)}; 0, 1 or 2 is needed")
    return _REDUCTIONS[reduction]


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int | str = 0,
) -> Tensor:
    """Return `nn.functional.binary_cross_entropy_with_logits`."""
    word = _word("binary_cross_entropy_with_logits", reduction)
    return functional.binary_cross_entropy_with_logits(
        input, target, weight, reduction=word, pos_weight=pos_weight
    )


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int | str = 0
) -> Tensor:
    """Return `nn.functional.cosine_embedding_loss`."""
    word = _word("cosine_embedding_loss", reduction)
    return functional.cosine_embedding_loss(input1, input2, target, margin, reduction=word)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int | str = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """Return `nn.functional.ctc_loss`."""
    word = _word("ctc_loss", reduction)
    return functional.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, word, zero_infinity
    )


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: int | str = 0
) -> Tensor:
    """Return `nn.functional.hinge_embedding_loss`."""
    word = _word("hinge_embedding_loss", reduction)
    return functional.hinge_embedding_loss(input, target, margin, reduction=word)


def kl_div(
    input: Tensor, target: Tensor, reduction: int | str = 0, *, log_target: bool = False
) -> Tensor:
    """Return `nn.functional.kl_div`."""
    word = _word("kl_div", reduction)
    return functional.kl_div(input, target, reduction=word, log_target=log_target)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int | str = 0
) -> Tensor:
    """Return `nn.functional.margin_ranking_loss`."""
    word = _word("margin_ranking_loss", reduction)
    return functional.margin_ranking_loss(input1, input2, target, margin, reduction=word)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool,
    full: bool,
    eps: float,
    reduction: int | str,
) -> Tensor:
    """Return `nn.functional.poisson_nll_loss`."""
    word = _word("poisson_nll_loss", reduction)
    return functional.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=word)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int | str = 0,
) -> Tensor:
    """Return `nn.functional.triplet_margin_loss`."""
    word = _word("triplet_margin_loss", reduction)
    return functional.triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, swap, reduction=word
    )
