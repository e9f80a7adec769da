"""Single steps of recurrent networks, made of ops: they can be differentiated again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._engine import cat, linear

if TYPE_CHECKING:
    from garboard._engine import Tensor

__all__ = ["gru_step", "lstm_step", "projected"]


def lstm_step(gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    """The state and the cell after a step; the gates in PyTorch's order, before they are bent."""
    enter, forget, candidate, leave = gates.chunk(4, -1)
    after = forget.sigmoid() * cell + enter.sigmoid() * candidate.tanh()
    return leave.sigmoid() * after.tanh(), after


def gru_step(given: Tensor, kept: Tensor, state: Tensor) -> Tensor:
    """The state after a step: what the input gives to the gates, and what the state before does."""
    reset, update, candidate = given.chunk(3, -1)
    kept_reset, kept_update, kept_candidate = kept.chunk(3, -1)
    new = (candidate + (reset + kept_reset).sigmoid() * kept_candidate).tanh()
    return new + (update + kept_update).sigmoid() * (state - new)


def projected(
    rows: Tensor,
    batch_sizes: Tensor,
    first: list[Tensor],
    weights: list[Tensor],
    biases: list[Tensor | None],
    projection: Tensor,
    is_reversed: bool,
) -> list[Tensor]:
    """One layer of lstm in one direction, whose states are projected.

    A sequence that has not begun, or has ended, keeps its state.
    """
    sizes: list[int] = batch_sizes.tolist()
    steps = list(linear(rows, weights[0], biases[0]).split(sizes))
    state, cell = first
    sequences = state.shape[0]
    made: list[Tensor] = []
    for given in reversed(steps) if is_reversed else steps:
        count = given.shape[0]
        gates = given + linear(state[:count], weights[1], biases[1])
        new, new_cell = lstm_step(gates, cell[:count])
        new = linear(new, projection)
        made.append(new)
        is_whole = count == sequences
        state = new if is_whole else cat([new, state[count:]])
        cell = new_cell if is_whole else cat([new_cell, cell[count:]])
    return [cat(made[::-1] if is_reversed else made), state, cell]
