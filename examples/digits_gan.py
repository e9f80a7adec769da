"""A generator learns to draw digits that a judge cannot tell from real ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, digits, equal_start, main

BATCH = 64
NOISE = 16


def build(lib: Any) -> Step:
    """Make both networks and the step that trains them by turns."""
    nn = lib.nn
    images = lib.from_numpy(digits()[0] * 2 - 1)
    random = np.random.default_rng(0)
    generator = nn.Sequential(
        nn.ConvTranspose2d(NOISE, 32, 4),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1),
        nn.Tanh(),
    )
    judge = nn.Sequential(
        nn.Conv2d(1, 32, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 1),
    )
    equal_start(lib, generator, 1)
    equal_start(lib, judge, 2)
    slow = lib.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    fast = lib.optim.Adam(judge.parameters(), lr=1e-3, betas=(0.5, 0.999))
    tell = nn.BCEWithLogitsLoss()
    yes, no = lib.ones(BATCH, 1), lib.zeros(BATCH, 1)

    def step(number: int) -> float:
        real = images[lib.from_numpy(random.integers(0, len(images), BATCH))]
        noise = lib.from_numpy(random.normal(size=(BATCH, NOISE, 1, 1)).astype(np.float32))
        made = generator(noise)
        fast.zero_grad()
        (tell(judge(real), yes) + tell(judge(made.detach()), no)).backward()
        fast.step()
        slow.zero_grad()
        loss = tell(judge(made), yes)
        loss.backward()
        slow.step()
        return float(loss.item())

    return step


if __name__ == "__main__":
    main(build, 200, __doc__ or "")
