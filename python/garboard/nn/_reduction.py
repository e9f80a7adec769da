"""The numbers that PyTorch's own losses give reductions, as published losses ask for them."""

from __future__ import annotations

from typing import Literal

from garboard._arguments import check
from garboard.nn.functional._reduction import reduction_by

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """Return 0 for 'none', 1 for 'mean' and 2 for 'sum'.

    Raises:
        ValueError: Another word.
        TypeError: No string.

    >>> gb.nn.functional._Reduction.get_enum("mean")
    1
    """
    return _NUMBERS[check.choice("get_enum", "reduction", reduction, *_NUMBERS)]


def legacy_get_string(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> Literal["mean", "sum", "none"]:
    """Return the reduction that PyTorch's older options ask for.

    Args:
        size_average: False for the sum; the mean by default.
        reduce: False for the losses themselves.
        emit_warning: Ignored: nothing warns.

    >>> gb.nn.functional._Reduction.legacy_get_string(False, None)
    'sum'
    """
    return reduction_by("legacy_get_string", size_average, reduce, "mean")


def legacy_get_enum(
    size_average: bool | None, reduce: bool | None, emit_warning: bool = True
) -> int:
    """Return the number of the reduction that PyTorch's older options ask for.

    >>> gb.nn.functional._Reduction.legacy_get_enum(None, False)
    0
    """
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
