"""An autoencoder learns to take noise away from handwritten digits."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, digits, equal_start, main


def build(lib: Any) -> Step:
    """Make the network and its training step."""
    nn = lib.nn
    images = lib.from_numpy(digits()[0])
    random = np.random.default_rng(0)
    encoder = nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.GELU(), nn.Conv2d(16, 8, 3, padding=1)
    )
    decoder = nn.Sequential(
        nn.Conv2d(8, 16, 3, padding=1), nn.GELU(), nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1)
    )
    model = equal_start(lib, nn.Sequential(encoder, decoder, nn.Sigmoid()))
    optimizer = lib.optim.Adam(model.parameters(), lr=3e-3)

    def step(number: int) -> float:
        clean = images[lib.from_numpy(random.integers(0, len(images), 64))]
        noise = lib.from_numpy(random.normal(0, 0.3, (64, 1, 8, 8)).astype(np.float32))
        loss = nn.functional.mse_loss(model((clean + noise).clamp(0, 1)), clean)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return float(loss.item())

    return step


if __name__ == "__main__":
    main(build, 200, __doc__ or "")
