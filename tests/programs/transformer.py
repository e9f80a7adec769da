"""A transformer of the library's own layers copies what a mask lets it see."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from examples.shared import Step, equal_start

WORDS, WIDTH, LENGTH = 16, 32, 10


def build(lib: Any) -> Step:
    """Make the network and the step that trains it."""
    nn = lib.nn

    class Positions(nn.Module):
        def __init__(self, width: int, most: int = 64) -> None:
            super().__init__()
            place = lib.arange(most).unsqueeze(1)
            rate = lib.exp(lib.arange(0, width, 2) * (-math.log(10000.0) / width))
            table = lib.zeros(most, 1, width)
            table[:, 0, 0::2] = lib.sin(place * rate)
            table[:, 0, 1::2] = lib.cos(place * rate)
            self.register_buffer("table", table)

        def forward(self, x: Any) -> Any:
            return x + self.table[: x.size(0)]

    class Copier(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.positions = nn.Embedding(WORDS, WIDTH), Positions(WIDTH)
            self.transformer = nn.Transformer(
                d_model=WIDTH,
                nhead=4,
                num_encoder_layers=2,
                num_decoder_layers=2,
                dim_feedforward=64,
                dropout=0.0,
                activation="gelu",
                norm_first=True,
            )
            self.out = nn.Linear(WIDTH, WORDS)

        def embedded(self, words: Any) -> Any:
            return self.positions(self.embed(words) * math.sqrt(WIDTH))

        def forward(self, source: Any, target: Any, padding: Any) -> Any:
            mask = nn.Transformer.generate_square_subsequent_mask(target.size(0))
            decoded = self.transformer(
                self.embedded(source),
                self.embedded(target),
                tgt_mask=mask,
                src_key_padding_mask=padding,
                memory_key_padding_mask=padding,
            )
            return self.out(decoded)

    random = np.random.default_rng(0)
    model = equal_start(lib, Copier())
    optimizer = lib.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
    schedule = lib.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) ** -0.5, (step + 1) * 10**-1.5)
    )
    loss_of = nn.CrossEntropyLoss()

    def step(number: int) -> float:
        words = lib.from_numpy(random.integers(1, WORDS, (LENGTH, 8)))
        lengths = lib.from_numpy(random.integers(LENGTH // 2, LENGTH + 1, 8))
        padding = lib.arange(LENGTH)[None, :] >= lengths[:, None]
        scores = model(words, words[:-1], padding.float().masked_fill(padding, float("-inf")))
        loss = loss_of(scores.reshape(-1, WORDS), words[1:].reshape(-1))
        model.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        return float(loss.item())

    return step
