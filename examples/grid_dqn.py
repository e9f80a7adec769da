"""A walker learns to cross a windy grid by the values of its moves (Mnih and others, 2015)."""

from __future__ import annotations

import copy
from collections import deque
from typing import Any

import numpy as np

from examples.shared import Step, equal_start, main

SIDE = 5
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))
DISCOUNT = 0.95


class Grid:
    """A square with a goal in a corner; the wind turns every tenth move."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.place = (0, 0)

    def reset(self) -> np.ndarray[Any, Any]:
        self.place = tuple(self.random.integers(0, SIDE, 2).tolist())
        return self.seen()

    def seen(self) -> np.ndarray[Any, Any]:
        board = np.zeros((SIDE, SIDE), np.float32)
        board[self.place] = 1
        return board.ravel()

    def move(self, number: int) -> tuple[np.ndarray[Any, Any], float, bool]:
        if self.random.random() < 0.1:
            number = int(self.random.integers(0, 4))
        row, column = (at + by for at, by in zip(self.place, MOVES[number], strict=True))
        self.place = (min(max(row, 0), SIDE - 1), min(max(column, 0), SIDE - 1))
        is_there = self.place == (SIDE - 1, SIDE - 1)
        return self.seen(), 1.0 if is_there else -0.02, is_there


def build(lib: Any) -> Step:
    """Make the network, its slow copy, the memory, and the step: a move, and what it teaches."""
    nn = lib.nn
    random = np.random.default_rng(0)
    grid = Grid(random)
    policy = equal_start(
        lib, nn.Sequential(nn.Linear(SIDE * SIDE, 64), nn.ReLU(), nn.Linear(64, len(MOVES)))
    )
    target = copy.deepcopy(policy).requires_grad_(False)
    optimizer = lib.optim.Adam(policy.parameters(), lr=2e-3)
    memory: deque[Any] = deque(maxlen=2000)
    state = [grid.reset()]

    def step(number: int) -> float:
        for _ in range(4):
            with lib.no_grad():
                best = int(policy(lib.from_numpy(state[0])).argmax().item())
            is_curious = random.random() < max(0.05, 1 - number / 150)
            move = int(random.integers(0, 4)) if is_curious else best
            after, reward, is_over = grid.move(move)
            memory.append((state[0], move, reward, after, is_over))
            state[0] = grid.reset() if is_over else after
        rows = [memory[at] for at in random.integers(0, len(memory), 64)]
        before, moves, rewards, after, is_over = (
            lib.from_numpy(np.stack(it)) for it in map(np.asarray, zip(*rows, strict=True))
        )
        values = policy(before).gather(1, moves.unsqueeze(1)).squeeze(1)
        with lib.no_grad():
            ahead = target(after).max(dim=1).values
            wanted = rewards.float() + DISCOUNT * lib.where(is_over, 0.0, ahead)
        loss = nn.functional.smooth_l1_loss(values, wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(policy.parameters(), 1.0)
        optimizer.step()
        with lib.no_grad():
            for slow, fast in zip(target.parameters(), policy.parameters(), strict=True):
                slow.lerp_(fast, 0.05)
        return float(loss.item())

    return step


if __name__ == "__main__":
    main(build, 300, __doc__ or "")
