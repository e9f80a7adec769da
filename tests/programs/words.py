"""Word vectors by skip-grams with negative samples, and the nearest neighbours among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, equal_start

WORDS, WIDTH, BATCH, NEGATIVES = 200, 24, 64, 5


def build(lib: Any) -> Step:
    """Make both tables and the step that trains them."""
    nn, functional = lib.nn, lib.nn.functional

    class SkipGram(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.center, self.context = nn.Embedding(WORDS, WIDTH), nn.Embedding(WORDS, WIDTH)

        def forward(self, center: Any, context: Any, negative: Any) -> Any:
            v = self.center(center)
            score = (v * self.context(context)).sum(dim=1).clamp(min=-10, max=10)
            noise = lib.bmm(self.context(negative), v.unsqueeze(2)).squeeze(2)
            noise = functional.logsigmoid(-noise.clamp(-10, 10)).sum(1)
            return -(functional.logsigmoid(score) + noise).mean()

    random = np.random.default_rng(0)
    frequency = 1 / np.arange(1, WORDS + 1)
    text = random.choice(WORDS, 4000, p=frequency / frequency.sum())
    text[1::2] = (text[::2] * 7 + 3) % WORDS  # every other word follows from the one before
    noise = frequency**0.75 / (frequency**0.75).sum()
    model = equal_start(lib, SkipGram())
    optimizer = lib.optim.Adagrad(model.parameters(), lr=0.1)

    def step(number: int) -> float:
        place = random.integers(1, len(text) - 1, BATCH)
        near = place + random.choice([-1, 1], BATCH)
        negative = random.choice(WORDS, (BATCH, NEGATIVES), p=noise)
        loss = model(*map(lib.from_numpy, (text[place], text[near], negative)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with lib.no_grad():
            units = functional.normalize(model.center.weight, dim=1)
            nearest = (units @ units.t()).fill_diagonal_(-1.0).topk(3, dim=1).indices
        assert nearest.shape == (WORDS, 3)
        return float(loss.item())

    return step
