"""Splitting a dataset at random."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from math import isclose
from numbers import Real
from typing import TypeVar, cast

from garboard._arguments.given import items_of, list_of, refuse_unless_list
from garboard._arguments.texts import shown
from garboard.utils.data._datasets import Dataset, Subset, refuse_unless_indexed
from garboard.utils.data._draws import shuffled

__all__ = ["random_split"]

T_co = TypeVar("T_co", covariant=True)


def random_split(
    dataset: Dataset[T_co], lengths: Sequence[float], generator: object = None
) -> list[Subset[T_co]]:
    """Split a dataset into subsets that share no sample, drawn with the engine's generator.

    Args:
        dataset: What to split.
        lengths: A list of counts that add up to the dataset's; or of fractions that add up to one,
            rounded down, the first subsets taking what is left over, one each.
        generator: What is drawn with; by default the engine's own generator.

    Returns:
        A list of Subset, one a length.

    Raises:
        TypeError: `lengths` is no list of numbers, or `dataset` no dataset.
        ValueError: The lengths do not add up, or one is negative.

    >>> from garboard.utils.data import TensorDataset, random_split
    >>> [len(part) for part in random_split(TensorDataset(gb.arange(10)), [0.8, 0.2])]
    [8, 2]
    """
    refuse_unless_indexed("random_split", "dataset", dataset, "a Dataset, or a list of samples,")
    refuse_unless_list("random_split", "lengths", lengths, "numbers")
    lengths = list_of(Real, "random_split", "lengths", items_of(lengths), "numbers")  # type: ignore
    total = len(cast("Sized", dataset))
    counts: list[int] = []
    if min(lengths, default=0) < 0:
        pass
    elif any(isinstance(length, float) for length in lengths) and isclose(sum(lengths), 1):
        counts = [int(total * length) for length in lengths]
        for place in range(total - sum(counts)):
            counts[place % len(counts)] += 1
    elif all(length == length // 1 for length in lengths):  # not so for NaN and infinity
        counts = [int(length) for length in lengths]
    if len(counts) != len(lengths) or sum(counts) != total:
        raise ValueError(
            f"random_split: lengths [{', '.join(map(shown, lengths))}] of {total} samples; counts "
            "that add up to that, or fractions that add up to 1, are needed"
        )
    order, parts, start = shuffled("random_split", total, generator), [], 0
    for count in counts:
        parts.append(Subset(dataset, order[start : start + count]))
        start += count
    return parts
