"""A small transformer learns Python's standard library by the letter, and writes with a cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, char_lines, equal_start, main

LETTERS, LENGTH, WIDTH, HEADS, LAYERS = 128, 48, 64, 4, 2


def network(lib: Any) -> Any:
    """Make the transformer, for either library."""
    nn, functional = lib.nn, lib.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.project, self.merge = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x: Any, cache: list[Any] | None) -> Any:
            batch, length, _ = x.shape
            parts = self.project(self.before(x)).view(batch, length, 3, HEADS, WIDTH // HEADS)
            query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
            if cache is not None:
                cache.append((key, value))
                key = lib.cat([one for one, _ in cache], dim=2)
                value = lib.cat([one for _, one in cache], dim=2)
            seen = functional.scaled_dot_product_attention(query, key, value, is_causal=length > 1)
            x = x + self.merge(seen.transpose(1, 2).reshape(batch, length, WIDTH))
            return x + self.narrow(functional.gelu(self.widen(self.between(x))))

    class Transformer(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.letters, self.places = nn.Embedding(LETTERS, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.blocks = nn.ModuleList([Block() for _ in range(LAYERS)])
            self.norm = nn.LayerNorm(WIDTH)
            self.head = nn.Linear(WIDTH, LETTERS, bias=False)

        def forward(self, given: Any, start: int = 0, caches: list[Any] | None = None) -> Any:
            places = lib.arange(start, start + given.shape[1])
            x = self.letters(given) + self.places(places)
            for number, block in enumerate(self.blocks):
                x = block(x, None if caches is None else caches[number])
            return self.head(self.norm(x))

    return equal_start(lib, Transformer())


def written(lib: Any, model: Any, start: list[int], count: int) -> list[int]:
    """Go on from some letters, the likeliest each time; each is computed once."""
    caches: list[list[Any]] = [[] for _ in range(LAYERS)]
    letters = list(start)
    with lib.no_grad():
        given = lib.tensor([letters])
        for _ in range(count):
            scores = model(given, len(letters) - given.shape[1], caches)
            letters.append(int(scores[0, -1].argmax().item()))
            given = lib.tensor([letters[-1:]])
    return letters


def build(lib: Any) -> Step:
    """Make the transformer and its training step."""
    text = np.concatenate(char_lines())
    random = np.random.default_rng(0)
    model = network(lib)
    decayed = [it for it in model.parameters() if it.ndim > 1]
    others = [it for it in model.parameters() if it.ndim <= 1]
    optimizer = lib.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-3
    )

    def step(number: int) -> float:
        starts = random.integers(0, len(text) - LENGTH - 1, 16)
        rows = lib.from_numpy(np.stack([text[at : at + LENGTH + 1] for at in starts]))
        scores = model(rows[:, :-1])
        loss = lib.nn.functional.cross_entropy(scores.flatten(0, 1), rows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        lib.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return float(loss.item())

    return step


if __name__ == "__main__":
    main(build, 200, __doc__ or "")
