"""Layers that change sizes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _check as check
from garboard._engine import Tensor, flatten
from garboard._texts import settings
from garboard.nn.module import Module

__all__ = ["Flatten"]


class Flatten(Module):
    """Make the dims from `start_dim` to `end_dim` one: by default all but the first.

    The result is a view where the strides allow one, else a copy.

    Args:
        start_dim: The first of them.
        end_dim: The last of them.

    Raises:
        TypeError: A dim that is no integer.
        ShapeError: When called, a dim is out of range, or the last comes before the first.

    >>> gb.nn.Flatten()(gb.zeros(2, 3, 4)).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim: int = check.integer("Flatten", "start_dim", start_dim)
        self.end_dim: int = check.integer("Flatten", "end_dim", end_dim)

    def forward(self, input: Tensor) -> Tensor:
        return flatten(input, self.start_dim, self.end_dim)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(start_dim=self.start_dim, end_dim=self.end_dim)
