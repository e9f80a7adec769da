"""Sequences of unequal lengths are reversed: a packed encoder, and a decoder that attends to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, equal_start

PAD, START, END, WORDS = 0, 1, 2, 20


def build(lib: Any) -> Step:
    """Make both networks and the step that trains them."""
    nn, functional = lib.nn, lib.nn.functional
    rnn = nn.utils.rnn

    class Encoder(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.embedding = nn.Embedding(WORDS, width, padding_idx=PAD)
            self.rnn = nn.GRU(width, width, bidirectional=True, batch_first=True)
            self.fc = nn.Linear(2 * width, width)

        def forward(self, source: Any, lengths: Any) -> tuple[Any, Any]:
            packed = rnn.pack_padded_sequence(
                self.embedding(source), lengths, batch_first=True, enforce_sorted=False
            )
            outputs, hidden = self.rnn(packed)
            outputs, _ = rnn.pad_packed_sequence(outputs, batch_first=True)
            return outputs, lib.tanh(self.fc(lib.cat((hidden[-2], hidden[-1]), dim=1)))

    class Decoder(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.embedding = nn.Embedding(WORDS, width)
            self.attention = nn.Linear(3 * width, width)
            self.v = nn.Linear(width, 1, bias=False)
            self.rnn = nn.GRUCell(3 * width, width)
            self.out = nn.Linear(width, WORDS)

        def forward(self, word: Any, hidden: Any, outputs: Any, mask: Any) -> tuple[Any, Any]:
            asked = hidden.unsqueeze(1).repeat(1, outputs.size(1), 1)
            energy = lib.tanh(self.attention(lib.cat((asked, outputs), dim=2)))
            scores = self.v(energy).squeeze(2).masked_fill(~mask, -1e10)
            weights = functional.softmax(scores, dim=1).unsqueeze(1)
            seen = lib.bmm(weights, outputs).squeeze(1)
            hidden = self.rnn(lib.cat((self.embedding(word), seen), dim=1), hidden)
            return self.out(hidden), hidden

    random = np.random.default_rng(0)
    encoder = equal_start(lib, Encoder(24), 1)
    decoder = equal_start(lib, Decoder(24), 2)
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimizer = lib.optim.Adam(parameters, lr=3e-3)

    def batch(size: int) -> tuple[Any, Any, Any]:
        rows = [random.integers(3, WORDS, random.integers(3, 9)) for _ in range(size)]
        source = [lib.from_numpy(row) for row in rows]
        target = [lib.from_numpy(np.array([START, *row[::-1], END])) for row in rows]
        lengths = lib.tensor([len(row) for row in rows])
        pad = rnn.pad_sequence
        return pad(source, batch_first=True), lengths, pad(target, padding_value=PAD)

    def step(number: int) -> float:
        source, lengths, target = batch(16)
        outputs, hidden = encoder(source, lengths)
        loss = lib.zeros(())
        for place in range(len(target) - 1):
            scores, hidden = decoder(target[place], hidden, outputs, source != PAD)
            loss = loss + functional.cross_entropy(scores, target[place + 1], ignore_index=PAD)
            if bool((target[place + 1 :] == PAD).all()):
                break
        optimizer.zero_grad()
        (loss / len(target)).backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        return float(loss.item()) / len(target)

    return step
