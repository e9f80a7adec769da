"""To packed sequences from padded ones and single ones, and back: each is one gathering of rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import items_of, list_of
from garboard._engine import DTypeError, ShapeError, Tensor, arange, cat, full
from garboard.nn.utils._packed_sequence import PackedSequence, invert_permutation, owning

if TYPE_CHECKING:
    from garboard.types import Number

__all__ = [
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "sizes_of",
    "unpack_sequence",
]


def _lengths(op: str, given: Any) -> list[int]:
    if hasattr(given, "__array__") and not isinstance(given, Tensor):
        given = _engine.as_tensor(given)
    if isinstance(given, Tensor):
        if given.ndim != 1 or given.is_floating_point():
            raise DTypeError(
                f"{op}: lengths of dtype {given.dtype} and sizes {list(given.shape)}; integers in "
                "one dim are needed"
            )
        numbers = given.tolist()
    elif isinstance(given, (list, tuple)):
        numbers = items_of(given)
    else:
        raise TypeError(
            f"{op}: lengths is of type {type(given).__name__}; a Tensor or a list of integers is "
            "needed"
        )
    return [
        int(it) if isinstance(it, Tensor) else check.integer(op, f"lengths[{at}]", it)
        for at, it in enumerate(numbers)
    ]


def _order(op: str, lengths: list[int], enforce_sorted: bool) -> list[int] | None:
    """Which sequence comes at each place, the longest first; None where they stand so."""
    if min(lengths, default=0) < 1:
        raise ShapeError(f"{op}: lengths {lengths[:8]}; one or more, each of 1 or more, is needed")
    if not enforce_sorted:
        return sorted(range(len(lengths)), key=lambda at: -lengths[at])
    if any(after > before for before, after in pairwise(lengths)):
        raise ShapeError(
            f"{op}: lengths {lengths[:8]}, which grow; the longest first is needed, or "
            "enforce_sorted=False"
        )
    return None


def _steps_and_places(batch_sizes: Tensor, places: int) -> tuple[Tensor, Tensor]:
    """The step, and the place in the batch, of each row."""
    rows = (arange(places) < batch_sizes.unsqueeze(1)).flatten().argwhere().squeeze(1)
    return rows // places, rows % places


def _batch_sizes(lengths: list[int]) -> Tensor:
    """How many sequences have each step."""
    return (arange(max(lengths)).unsqueeze(1) < _engine.tensor(lengths)).sum(1)


def _packed(
    rows: Tensor, starts: list[int], stride: int, lengths: list[int], order: list[int] | None
) -> PackedSequence:
    """Gather rows: step t of a sequence stands `t * stride` behind its start."""
    batch_sizes = _batch_sizes(lengths)
    if order is not None:
        starts = [starts[at] for at in order]
    steps, places = _steps_and_places(batch_sizes, len(lengths))
    wanted = _engine.tensor(starts, dtype=_engine.int64)[places] + steps * stride
    data = rows.index_select(0, wanted.to(rows.device))
    if order is None:
        return owning(data, batch_sizes)
    indices = _engine.tensor(order, dtype=_engine.int64, device=rows.device)
    return owning(data, batch_sizes, indices, invert_permutation(indices))


def sizes_of(op: str, sequence: PackedSequence) -> list[int]:
    """Return the batch sizes of a sequence, checked: they decrease, and count its rows."""
    _engine._require_living(check.of_type(PackedSequence, op, "sequence", sequence), op)
    sizes: list[int] = sequence.batch_sizes.tolist()
    grows = any(after > before for before, after in pairwise(sizes))
    if grows or min(sizes, default=0) < 1 or sum(sizes) != sequence.data.shape[0]:
        raise ShapeError(
            f"{op}: batch_sizes {sizes[:8]} of {sequence.data.shape[0]} rows; they must be 1 or "
            "more, not grow, and count the rows"
        )
    order = sequence.sorted_indices
    if order is not None and order.shape[0] != sizes[0]:
        raise ShapeError(
            f"{op}: {order.shape[0]} sorted_indices of {sizes[0]} sequences; one each is needed"
        )
    return sizes


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Pack sequences of several lengths out of a padded tensor.

    Args:
        input: [longest, batch, ...], or [batch, longest, ...] with `batch_first`.
        lengths: How long each sequence is, 1 or more: a list, or an integer tensor or
            array of one dim.
        batch_first: Whether the batch is dim 0.
        enforce_sorted: Require the longest first; else they are sorted, which the sequence
            remembers.

    Returns:
        A PackedSequence of new tensors, through which gradients pass.

    Raises:
        ShapeError: Fewer than two dims, another number of lengths than sequences, one that is below
            1 or beyond the longest, or lengths that grow.
        DTypeError: The tensor of lengths has no integers, or not one dim.
        TypeError: Something of another type.
        DisposedError: A tensor is disposed.

    >>> from garboard.nn.utils.rnn import pack_padded_sequence
    >>> padded = gb.tensor([[1, 4], [2, 5], [3, 0]])
    >>> pack_padded_sequence(padded, [3, 2]).data
    tensor([1, 4, 2, 5, 3])
    """
    op = "pack_padded_sequence"
    check.tensor(op, "input", input)
    if input.ndim < 2:
        raise ShapeError(f"{op}: input has sizes {list(input.shape)}; two dims or more are needed")
    is_batch_first = check.flag(op, "batch_first", batch_first)
    numbers = _lengths(op, lengths)
    order = _order(op, numbers, check.flag(op, "enforce_sorted", enforce_sorted))
    steps, batch = input.shape[:2] if not is_batch_first else (input.shape[1], input.shape[0])
    if len(numbers) != batch or max(numbers) > steps:
        raise ShapeError(
            f"{op}: {len(numbers)} lengths up to {max(numbers)} of an input of sizes "
            f"{list(input.shape)}; one a sequence, within the longest, is needed"
        )
    rows = input.reshape(steps * batch, *input.shape[2:])
    starts = [place * steps for place in range(batch)] if is_batch_first else list(range(batch))
    return _packed(rows, starts, 1 if is_batch_first else batch, numbers, order)


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack single sequences of several lengths.

    Args:
        sequences: A list of tensors [length, ...], alike but for the length, which is 1 or more.
        enforce_sorted: Require the longest first; else they are sorted, which the sequence
            remembers.

    Returns:
        A PackedSequence of new tensors, through which gradients pass.

    Raises:
        ShapeError: No sequences, one without dims or elements, sizes that differ beyond the first,
            or lengths that grow.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> from garboard.nn.utils.rnn import pack_sequence
    >>> packed = pack_sequence([gb.tensor([1]), gb.tensor([2, 3])], enforce_sorted=False)
    >>> packed.data, packed.sorted_indices
    (tensor([2, 1, 3]), tensor([1, 0]))
    """
    op = "pack_sequence"
    given = list_of(Tensor, op, "sequences", sequences, "Tensors")
    shapes = [list(it.shape) for it in given]
    if not all(shapes) or any(it[1:] != shapes[0][1:] for it in shapes):
        raise ShapeError(
            f"{op}: sequences of sizes {shapes[:8]}; one dim or more is needed, equal beyond dim 0"
        )
    lengths = [it[0] for it in shapes]
    order = _order(op, lengths, check.flag(op, "enforce_sorted", enforce_sorted))
    starts = [0]
    for length in lengths[:-1]:
        starts.append(starts[-1] + length)
    return _packed(cat(given), starts, 1, lengths, order)


def _homes(sequence: PackedSequence, sizes: list[int]) -> tuple[Tensor, Tensor, list[int]]:
    """The step of each row, the number of its sequence, and the lengths of the sequences."""
    steps, places = _steps_and_places(sequence.batch_sizes, sizes[0])
    lengths = (sequence.batch_sizes.unsqueeze(1) > arange(sizes[0])).sum(0)
    order = sequence.sorted_indices
    if order is None:
        return steps, places, lengths.tolist()
    order = order.to("cpu")
    found: list[int] = _engine.zeros_like(lengths).scatter_(0, order, lengths).tolist()
    return steps, order[places], found


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: Number = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Fill the sequences of a packed one up to the longest, in the order they had before.

    Args:
        sequence: A PackedSequence.
        batch_first: Return [batch, longest, ...] instead of [longest, batch, ...].
        padding_value: What is filled in.
        total_length: How long all get, at least the longest; the longest by default.

    Returns:
        A new tensor, through which gradients pass, and the lengths: int64, on the CPU.

    Raises:
        ValueError: `total_length` is below the longest.
        ShapeError: Batch sizes that cannot be those of the data.
        TypeError: Something of another type.
        DisposedError: The sequence is disposed.

    >>> from garboard.nn.utils.rnn import pack_sequence, pad_packed_sequence
    >>> pad_packed_sequence(pack_sequence([gb.tensor([1, 2]), gb.tensor([3])]), batch_first=True)
    (tensor([[1, 2],
             [3, 0]]),
     tensor([2, 1]))
    """
    op = "pad_packed_sequence"
    sizes = sizes_of(op, sequence)
    is_batch_first = check.flag(op, "batch_first", batch_first)
    length = len(sizes)
    if total_length is not None:
        length = check.integer(op, "total_length", total_length)
        if length < len(sizes):
            raise ValueError(
                f"{op}: total_length {length}; {len(sizes)}, the longest, or more is needed"
            )
    steps, numbers, lengths = _homes(sequence, sizes)
    data, batch = sequence.data, sizes[0]
    wanted = numbers * length + steps if is_batch_first else steps * batch + numbers
    padded = full(
        (length * batch, *data.shape[1:]),
        check.scalar(op, "padding_value", padding_value),
        dtype=data.dtype,
        device=data.device,
    ).index_copy_(0, wanted.to(data.device), data)
    outer = (batch, length) if is_batch_first else (length, batch)
    return padded.reshape(*outer, *data.shape[1:]), _engine.tensor(lengths)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Take the sequences out of a packed one, in the order they had before.

    Args:
        packed_sequences: A PackedSequence.

    Returns:
        A list of tensors [length, ...], views of one new tensor, through which gradients pass.

    Raises:
        ShapeError: Batch sizes that cannot be those of the data.
        TypeError: It is no PackedSequence.
        DisposedError: The sequence is disposed.

    >>> from garboard.nn.utils.rnn import pack_sequence, unpack_sequence
    >>> unpack_sequence(pack_sequence([gb.tensor([1, 2]), gb.tensor([3])]))
    [tensor([1, 2]), tensor([3])]
    """
    sizes = sizes_of("unpack_sequence", packed_sequences)
    steps, numbers, lengths = _homes(packed_sequences, sizes)
    data = packed_sequences.data
    by_sequence = (numbers * len(sizes) + steps).argsort()
    return list(data.index_select(0, by_sequence.to(data.device)).split(lengths))
