"""What layers with windows are given: a number, or one for each dim of space."""

from __future__ import annotations

from typing import Any

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import ShapeError

__all__ = ["as_given", "each_dim"]


def each_dim(op: str, name: str, given: Any, dims: int, least: int = 0) -> tuple[int, ...]:
    """A number for each dim, at least so large."""
    numbers = check.sizes(op, name, given)
    if len(numbers) == 1:
        numbers *= dims
    if len(numbers) != dims or min(numbers) < least:
        raise ShapeError(
            f"{op}: {name} {numbers}; one number, or {shown(dims)}, of at least {least} are needed"
        )
    return numbers


def as_given(op: str, name: str, given: Any, least: int = 0) -> int | tuple[int, ...]:
    """A number, or a tuple of them, whichever was given."""
    numbers = check.sizes(op, name, given)
    if not numbers or min(numbers) < least:
        raise ShapeError(f"{op}: {name} {numbers}; numbers of at least {least} are needed")
    return numbers if isinstance(given, (list, tuple)) else numbers[0]
