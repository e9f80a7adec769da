"""What outlives epochs, counted by epoch: a cache fills in the first ones, a leak goes on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from garboard.leaks.evidence._rows import Survivor

__all__ = ["is_a_number_an_epoch", "is_steady_by_epoch"]

_FEW = 4  # numbers an epoch: loss, accuracy, learning rate
_LEAST_STEPS = 8  # of an epoch that is more than a step


def is_steady_by_epoch(cohorts: Mapping[int, int], ends: Sequence[int]) -> bool:
    """Tell whether the last third of the finished epochs leaves 3/4 of what the first third does.

    Args:
        cohorts: How many live of each birth step.
        ends: The last step of each epoch.
    """
    counts = [0] * (len(ends) + 1)
    for step, count in cohorts.items():
        counts[bisect_left(ends, step)] += count
    onset = next((i for i, count in enumerate(counts) if count), len(ends))
    judged = counts[onset : len(ends)]
    third = len(judged) // 3 or 1
    return bool(judged) and sum(judged[-third:]) >= 0.75 * sum(judged[:third])


def is_a_number_an_epoch(survivors: Sequence[Survivor], ends: Sequence[int]) -> bool:
    """Tell whether it is what a program notes of each epoch, as tensors of one element."""
    if ends[-1] < _LEAST_STEPS * len(ends):
        return False
    count = sum(it.weight for it in survivors)
    return count <= _FEW * (len(ends) + 1) and all(
        all(size == 1 for size in it.shape) and not (it.requires_grad or it.node)
        for it in survivors
    )
