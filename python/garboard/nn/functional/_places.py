"""Where the result of an activation goes: into a tensor of its own, or over what it was given."""

from __future__ import annotations

from collections.abc import Callable

from garboard._engine import Tensor, is_grad_enabled

__all__ = ["given", "written"]


def given(input: Tensor, activation: Callable[[Tensor], Tensor], inplace: bool) -> Tensor:
    """What the activation returns; or `input`, which holds it from now on."""
    return written(input, activation) if inplace else activation(input)


def written(input: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
    """`input`, over which the activation of a copy is written where backward may read the copy."""
    is_recorded = input.requires_grad and is_grad_enabled()
    return input.copy_(activation(input.clone() if is_recorded else input))
