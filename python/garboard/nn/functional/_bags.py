"""Bags of rows of a learned table, as functions."""

from __future__ import annotations

from typing import Literal

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._engine import ShapeError, Tensor
from garboard.nn.functional._embedding import first_column, scaled_by_frequency, shorten_rows

__all__ = ["embedding_bag"]


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: Literal["sum", "mean", "max"] = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Make one row of the rows of `weight` that are in a bag: their sum, mean or maximum.

    The rows are read once, and never all there. A bag without rows becomes zeros.

    Args:
        input: Numbers of rows, int64 or int32: [bags, n], or [numbers] with `offsets`.
        weight: Tensor [count, width], floating.
        offsets: Where in `input` each bag begins: [bags], ascending from 0.
        max_norm: Rows that are looked up and longer than this are shortened, in `weight`.
        norm_type: By which norm they are measured.
        scale_grad_by_freq: Divide a row's gradient by how often it was looked up.
        mode: What is made of the rows of a bag.
        sparse: Heard and not needed: gradients are dense. False for the mode "max".
        per_sample_weights: What rows are multiplied by before they are added up: of `input`'s
            sizes and `weight`'s dtype; for the mode "sum".
        include_last_offset: The last of `offsets` begins no bag: it says where the last one ends.
        padding_idx: A row that counts nowhere; negative ones count from the end.

    Returns:
        A new tensor [bags, width]. Until backward the graph keeps the numbers and two more for
        each, or, of a maximum, one an element; `weight` too where `per_sample_weights` learn.

    Raises:
        ShapeError: The sizes do not fit, or there are `per_sample_weights` for another mode.
        IndexOutOfRangeError: A number, an offset or `padding_idx` lies outside.
        DTypeError: `weight` is not floating, numbers are neither int64 nor int32, or the dtypes of
            the weights differ.
        ValueError: Another mode, or `sparse` or `scale_grad_by_freq` of a maximum.
        TypeError: A setting of a wrong type.
        DisposedError: A tensor is disposed.

    >>> table = gb.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> numbers, offsets = gb.tensor([0, 2, 1]), gb.tensor([0, 2])
    >>> gb.nn.functional.embedding_bag(numbers, table, offsets)
    tensor([[3., 4.],
            [3., 4.]])
    """
    op = "embedding_bag"
    check.tensor(op, "input", input)
    check.tensor(op, "weight", weight)
    mode = check.choice(op, "mode", mode, "sum", "mean", "max")
    settings = {"sparse": sparse, "scale_grad_by_freq": scale_grad_by_freq}
    for name, given in settings.items():
        if check.flag(op, name, given) and mode == "max":
            raise ArgumentError(f"{op}: {name} with mode 'max'; leave one of them out")
    scales = bool(scale_grad_by_freq)
    numbers, starts = _bags(
        op, input, offsets, check.flag(op, "include_last_offset", include_last_offset)
    )
    factors = per_sample_weights
    if factors is not None:
        if check.tensor(op, "per_sample_weights", factors).shape != input.shape:
            raise ShapeError(
                f"{op}: per_sample_weights of sizes {factors.shape}, input of {input.shape}; they "
                "must be equal"
            )
        factors = factors.flatten()
    if max_norm is not None or scales:
        bare = first_column(op, weight)
        _engine._embedding_bag(bare, numbers, starts, mode, factors, padding_idx)
    if max_norm is not None:
        shorten_rows(op, weight, numbers, max_norm, norm_type)
    table = scaled_by_frequency(weight, numbers) if scales else weight
    return _engine._embedding_bag(table, numbers, starts, mode, factors, padding_idx)


def _bags(
    op: str, input: Tensor, offsets: Tensor | None, ends_with_offset: bool
) -> tuple[Tensor, Tensor]:
    """All numbers, and where bags begin among them and the last one ends."""
    if input.ndim == 2:
        if offsets is not None:
            raise ShapeError(
                f"{op}: offsets beside an input of sizes {input.shape}, whose rows are the bags; "
                "leave them out, or give numbers of one dim"
            )
        bags, each = input.shape
        return input.flatten(), _engine.arange(bags + 1, device=input.device) * each
    if input.ndim != 1 or offsets is None:
        raise ShapeError(
            f"{op}: input of sizes {input.shape}, offsets {'missing' if offsets is None else ''}; "
            "[bags, n], or [numbers] and offsets, are needed"
        )
    if check.tensor(op, "offsets", offsets).ndim != 1 or (ends_with_offset and not len(offsets)):
        raise ShapeError(
            f"{op}: offsets of sizes {offsets.shape}; one dim, and one of them where the last is "
            "an end, is needed"
        )
    if ends_with_offset:
        return input, offsets
    end = _engine.full((1,), input.shape[0], dtype=offsets.dtype, device=offsets.device)
    return input, _engine.cat((offsets, end))


all_overridable(globals())
