"""Layers that change sizes alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._arguments.given import items_of, refuse_unless_list
from garboard._arguments.texts import settings
from garboard._engine import ShapeError, Tensor, flatten
from garboard.nn.module import Module

__all__ = ["Flatten", "Unflatten"]


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


class Unflatten(Module):
    """Make several dims of one.

    The result is a view where the strides allow one, else a copy.

    Args:
        dim: The dim.
        unflattened_size: Its new sizes, one of them -1 perhaps.

    Raises:
        TypeError: A dim or a size that is no integer.
        ShapeError: No sizes; when called, a dim out of range, or sizes that do not fit.

    >>> gb.nn.Unflatten(1, (2, 3))(gb.zeros(4, 6)).shape
    (4, 2, 3)
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self.dim: int = check.integer("Unflatten", "dim", dim)
        refuse_unless_list("Unflatten", "unflattened_size", unflattened_size, "integers")
        given = items_of(unflattened_size)
        places = enumerate(given)
        self.unflattened_size: tuple[int, ...] = tuple(
            check.integer("Unflatten", f"unflattened_size[{place}]", it) for place, it in places
        )
        if not given:
            raise ShapeError("Unflatten: no sizes; at least one is needed")

    def forward(self, input: Tensor) -> Tensor:
        ndim = check.tensor("Unflatten", "input", input).ndim
        if not -ndim <= self.dim < ndim:
            raise ShapeError(
                f"Unflatten: dim {self.dim} of sizes {list(input.shape)}; one in "
                f"[{-ndim}, {ndim}) is needed"
            )
        dim = self.dim % ndim
        shape = input.shape
        return input.reshape([*shape[:dim], *self.unflattened_size, *shape[dim + 1 :]])

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(dim=self.dim, unflattened_size=self.unflattened_size)
