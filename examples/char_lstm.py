"""A recurrent network learns Python's standard library by the letter, in packed lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, char_lines, equal_start, main

LETTERS = 128


def build(lib: Any) -> Step:
    """Make the network and its training step."""
    nn, rnn = lib.nn, lib.nn.utils.rnn
    lines = char_lines()
    random = np.random.default_rng(0)

    class Letters(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(LETTERS, 32)
            self.lstm = nn.LSTM(32, 64, batch_first=True)
            self.head = nn.Linear(64, LETTERS)

        def forward(self, packed: Any) -> Any:
            embedded = packed._replace(data=self.embedding(packed.data))
            found, _ = self.lstm(embedded)
            return self.head(found.data)

    model = equal_start(lib, Letters())
    optimizer = lib.optim.RMSprop(model.parameters(), lr=3e-3)

    def step(number: int) -> float:
        chosen = [lib.from_numpy(lines[at]) for at in random.integers(0, len(lines), 16)]
        given = rnn.pack_sequence([line[:-1] for line in chosen], enforce_sorted=False)
        wanted = rnn.pack_sequence([line[1:] for line in chosen], enforce_sorted=False)
        loss = nn.functional.cross_entropy(model(given), wanted.data)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return float(loss.item())

    return step


if __name__ == "__main__":
    main(build, 200, __doc__ or "")
