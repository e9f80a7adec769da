"""Losses of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard.nn.functional._reduction import reduced

if TYPE_CHECKING:
    from garboard.types import Reduction

__all__ = ["ctc_loss"]

_Lengths = Tensor | Sequence[int]


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: _Lengths,
    target_lengths: _Lengths,
    blank: int = 0,
    reduction: Reduction = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Compute how unlikely labels are whose places in a sequence nobody knows.

    -log of the sum of the probabilities of all ways to write the labels into the steps, with
    repetitions, and blanks between them (Graves et al., "Connectionist temporal classification",
    ICML 2006). As in PyTorch, the gradient is that of what went through a log_softmax.

    Args:
        log_probs: Tensor [steps, samples, classes], or [steps, classes], floating: what
            `log_softmax` of the classes gives.
        targets: Labels, int64 or int32, none of them `blank`: [samples, longest], or those of all
            samples one behind the other, [sum of target_lengths].
        input_lengths: How many steps each sample has: [samples], a tensor of integers or a tuple.
        target_lengths: How many labels each has, likewise.
        blank: The class that is no label.
        reduction: "mean" of the losses, each divided by how many labels there are; "sum", or "none"
            for one loss a sample.
        zero_infinity: Make losses 0, and their gradients, that are infinite: where the labels do
            not fit into the steps.

    Returns:
        A new tensor: without dims, or one loss a sample. Until backward the graph keeps
        `log_probs`, `targets`, and a number for each step and twice for each label.

    Raises:
        ShapeError: The sizes do not fit, or a length is more than there are.
        IndexOutOfRangeError: A label, or `blank`, is no class.
        DTypeError: `log_probs` is not floating, or labels or lengths are no integers.
        ValueError: Another reduction.
        TypeError: A setting of a wrong type.
        GradientError: A gradient is differentiated again.
        DisposedError: A tensor is disposed.

    >>> even = gb.zeros(4, 1, 2).log_softmax(-1)
    >>> loss = gb.nn.functional.ctc_loss(even, gb.tensor([[1]]), (4,), (1,))  # 10 of 16 ways
    >>> round(loss.exp().item(), 4)
    1.6
    """
    op = "ctc_loss"
    check.tensor(op, "log_probs", log_probs)
    for name, tensor in (("log_probs", log_probs), ("targets", targets)):
        check.tensor(op, name, tensor)
    if targets.dtype not in (_engine.int64, _engine.int32):
        raise DTypeError(f"{op}: targets of dtype {targets.dtype}; int64 or int32 is needed")
    check.choice(op, "reduction", reduction, "mean", "sum", "none")
    blank = check.integer(op, "blank", blank)
    skips = check.flag(op, "zero_infinity", zero_infinity)
    is_single = log_probs.ndim == 2
    batch = log_probs.unsqueeze(1) if is_single else log_probs
    if batch.ndim != 3 or targets.ndim not in (1, 2):
        raise ShapeError(
            f"{op}: log_probs of sizes {log_probs.shape}, targets of {targets.shape}; [steps, "
            "samples, classes] and [samples, longest], or all targets in one dim, are needed"
        )
    steps, samples, _ = batch.shape
    given = _lengths(op, "input_lengths", input_lengths, samples, steps)
    is_flat = targets.ndim == 1
    most = targets.shape[0] if is_flat else targets.shape[1]
    counts = _lengths(op, "target_lengths", target_lengths, samples, most)
    if (is_flat and sum(counts) > most) or not (is_flat or targets.shape[0] == samples):
        raise ShapeError(
            f"{op}: targets of sizes {targets.shape} for {samples} samples of {sum(counts)} labels "
            "in all; [samples, longest], or as many labels, are needed"
        )
    starts = [0, *accumulate(counts)][:samples] if is_flat else range(0, most * samples, most or 1)

    def numbers(values: Any) -> Tensor:
        return _engine.tensor(list(values), dtype=_engine.int64, device=batch.device)

    if not most:
        starts = [0] * samples
    labels = targets.flatten().to(_engine.int64)
    losses = _engine._ctc_loss(
        batch,
        labels,
        numbers(starts),
        numbers(counts),
        numbers(given),
        max(counts, default=0),
        blank,
        skips,
    )
    if skips:
        losses = _engine.where(losses.isinf(), 0.0, losses)
    if reduction == "mean":
        losses = losses / numbers(max(one, 1) for one in counts).to(losses.dtype)
    if is_single and reduction == "none":
        return losses.squeeze(0)
    return reduced(op, losses, reduction)


def _lengths(op: str, name: str, given: Any, samples: int, most: int) -> list[int]:
    """One for each sample, each from 0 to `most`."""
    found: list[int]
    if isinstance(given, Tensor):
        if given.is_floating_point() or given.dtype == _engine.bool:
            raise DTypeError(f"{op}: {name} of dtype {given.dtype}; integers are needed")
        found = given.flatten().tolist()
    elif isinstance(given, (list, tuple)):
        found = [check.integer(op, name, one) for one in items_of(given)]
    else:
        found = [check.integer(op, name, given, "a tensor or a tuple of integers")]
    if len(found) != samples:
        raise ShapeError(
            f"{op}: {len(found)} {name} for {shown(samples)} samples; one each is needed"
        )
    for place, one in enumerate(found):
        if not 0 <= one <= most:
            raise ShapeError(f"{op}: {name}[{place}] is {shown(one)}; 0 to {shown(most)} is needed")
    return found


all_overridable(globals())
