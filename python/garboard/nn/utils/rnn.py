"""Sequences of several lengths in one tensor, padded or packed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from garboard._arguments import check
from garboard._arguments.given import items_of, list_of
from garboard._arguments.layouts import is_really
from garboard._engine import ShapeError, Tensor, cat, full, stack
from garboard._names.missing import module_getattr
from garboard.nn.utils._packed_sequence import PackedSequence, invert_permutation
from garboard.nn.utils._packing import (
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    unpack_sequence,
)

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


def pad_sequence(
    sequences: Sequence[Tensor] | Tensor,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: Literal["right", "left"] = "right",
) -> Tensor:
    """Stack sequences of several lengths, filled up to the longest.

    Args:
        sequences: A list of tensors [length, ...], alike but for the length.
        batch_first: Return [batch, longest, ...] instead of [longest, batch, ...].
        padding_value: What is filled in.
        padding_side: Where: "right", after the sequence, or "left".

    Returns:
        A new tensor, through which gradients pass.

    Raises:
        ShapeError: No sequences, one without dims, or sizes that differ beyond the first.
        ValueError: Another side.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> from garboard.nn.utils.rnn import pad_sequence
    >>> pad_sequence([gb.tensor([1, 2]), gb.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    op = "pad_sequence"
    given = list_of(Tensor, op, "sequences", sequences, "Tensors")
    side = check.choice(op, "padding_side", padding_side, "right", "left")
    shapes = [list(it.shape) for it in given]
    if not given or not all(shapes) or any(it[1:] != shapes[0][1:] for it in shapes):
        raise ShapeError(
            f"{op}: sequences of sizes {shapes[:8]}; one or more are needed, equal beyond dim 0"
        )
    longest = max(it[0] for it in shapes)
    padded = []
    for sequence in given:
        missing = longest - sequence.shape[0]
        if missing:
            rest = full(
                (missing, *sequence.shape[1:]),
                padding_value,
                dtype=sequence.dtype,
                device=sequence.device,
            )
            sequence = cat([sequence, rest] if side == "right" else [rest, sequence])
        padded.append(sequence)
    return stack(padded, dim=0 if check.flag(op, "batch_first", batch_first) else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False
) -> list[Tensor]:
    """Take sequences of several lengths out of a padded tensor.

    Args:
        padded_sequences: [longest, batch, ...], or [batch, longest, ...] with `batch_first`.
        lengths: One a sequence; a tensor or a list.
        batch_first: Whether the batch is dim 0.

    Returns:
        A list of views, one a sequence.

    Raises:
        ShapeError: More or fewer lengths than sequences, or one beyond the longest.
        TypeError: Something that is no Tensor, or no integer.
        DisposedError: A tensor is disposed.

    >>> from garboard.nn.utils.rnn import unpad_sequence
    >>> unpad_sequence(gb.tensor([[1, 2], [3, 0]]), [2, 1], batch_first=True)
    [tensor([1, 2]), tensor([3])]
    """
    op = "unpad_sequence"
    check.tensor(op, "padded_sequences", padded_sequences)
    given = lengths.tolist() if is_really(lengths, Tensor) else items_of(list(lengths))
    if padded_sequences.ndim < 2:
        raise ShapeError(
            f"{op}: padded_sequences has sizes {list(padded_sequences.shape)}; two dims or more "
            "are needed"
        )
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    counts = [check.size(op, f"lengths[{place}]", it) for place, it in enumerate(given)]
    if len(counts) != rows.shape[0] or max(counts, default=0) > rows.shape[1]:
        raise ShapeError(
            f"{op}: {len(counts)} lengths up to {max(counts, default=0)} of sequences of sizes "
            f"{list(padded_sequences.shape)}; one each, within the longest, is needed"
        )
    return [rows[place, :count] for place, count in enumerate(counts)]
