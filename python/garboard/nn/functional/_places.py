"""Where the result of an activation goes: into a tensor of its own, or over what it was given."""

from __future__ import annotations

from collections.abc import Callable

from garboard._arguments.texts import shown
from garboard._engine import DTypeError, Tensor, is_grad_enabled

__all__ = ["given", "whole_numbers", "written"]


def given(input: Tensor, activation: Callable[[Tensor], Tensor], inplace: bool) -> Tensor:
    """What the activation returns; or `input`, which holds it from now on."""
    return written(input, activation) if inplace else activation(input)


def written(input: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
    """`input`, over which the activation of a copy is written where backward may read the copy."""
    is_recorded = input.requires_grad and is_grad_enabled()
    return input.copy_(activation(input.clone() if is_recorded else input))


def whole_numbers(op: str, x: Tensor, *numbers: float) -> list[int]:
    """Numbers as elements of a tensor of whole ones are compared with them."""
    try:
        return [int(number) for number in numbers]
    except (OverflowError, ValueError):
        told = " and ".join(map(shown, numbers))
        raise DTypeError(f"{op}: {told} for {x.dtype}; whole numbers are needed") from None
