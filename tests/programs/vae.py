"""A variational autoencoder of digits, with the reparameterization trick by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, digits, equal_start

LATENT = 8


def build(lib: Any) -> Step:
    """Make the network and the step that trains it."""
    nn, functional = lib.nn, lib.nn.functional

    class Autoencoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc1 = nn.Linear(64, 48)
            self.fc21, self.fc22 = nn.Linear(48, LATENT), nn.Linear(48, LATENT)
            self.decoder = nn.Sequential(
                nn.Linear(LATENT, 48), nn.ReLU(), nn.Linear(48, 64), nn.Sigmoid()
            )

        def forward(self, x: Any, noise: Any) -> tuple[Any, Any, Any]:
            hidden = functional.relu(self.fc1(x.view(-1, 64)))
            mu, logvar = self.fc21(hidden), self.fc22(hidden)
            z = mu + noise * lib.exp(0.5 * logvar)
            return self.decoder(z), mu, logvar

    images = lib.from_numpy(digits()[0])
    random = np.random.default_rng(0)
    model = equal_start(lib, Autoencoder())
    optimizer = lib.optim.Adam(model.parameters(), lr=2e-3)

    def step(number: int) -> float:
        x = images[lib.from_numpy(random.integers(0, len(images), 64))]
        noise = lib.from_numpy(random.normal(size=(64, LATENT)).astype(np.float32))
        optimizer.zero_grad()
        made, mu, logvar = model(x, noise)
        error = functional.binary_cross_entropy(made, x.view(-1, 64), reduction="sum")
        divergence = -0.5 * lib.sum(1 + logvar - mu.pow(2) - logvar.exp())
        loss = (error + divergence) / len(x)
        loss.backward()
        optimizer.step()
        with lib.no_grad():
            assert model.decoder(lib.zeros(3, LATENT)).shape == (3, 64)
        return float(loss.item())

    return step
