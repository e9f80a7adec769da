"""Digits from noise: a network learns what was added, and an average of its weights draws."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from examples.shared import Step, digits, equal_start

STEPS, WIDTH = 50, 16


def build(lib: Any) -> Step:
    """Make the network, its average, and the step that trains the one and moves the other."""
    nn, functional = lib.nn, lib.nn.functional

    class Block(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.norm = nn.GroupNorm(4, width)
            self.conv = nn.Conv2d(width, width, 3, padding=1)
            self.time = nn.Linear(32, 2 * width)

        def forward(self, x: Any, time: Any) -> Any:
            scale, shift = self.time(functional.silu(time))[:, :, None, None].chunk(2, dim=1)
            return x + self.conv(functional.silu(self.norm(x) * (1 + scale) + shift))

    class Denoiser(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.time = nn.Sequential(nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 32))
            self.first = nn.Conv2d(1, WIDTH, 3, padding=1)
            self.blocks = nn.ModuleList(Block(WIDTH) for _ in range(2))
            self.last = nn.Conv2d(WIDTH, 1, 3, padding=1)

        def forward(self, x: Any, t: Any) -> Any:
            rate = lib.exp(lib.arange(16) * -(math.log(10000) / 15))
            angle = t[:, None].float() * rate[None, :]
            time = self.time(lib.cat((angle.sin(), angle.cos()), dim=-1))
            x = self.first(x)
            for block in self.blocks:
                x = block(x, time)
            return self.last(x)

    beta = lib.linspace(1e-4, 0.05, STEPS)
    alpha_bar = lib.cumprod(1 - beta, dim=0)

    def of_time(table: Any, t: Any) -> Any:
        return table.gather(-1, t).reshape(-1, 1, 1, 1)

    images = lib.from_numpy(digits()[0] * 2 - 1)
    random = np.random.default_rng(0)
    model = equal_start(lib, Denoiser())
    average = copy.deepcopy(model).eval().requires_grad_(False)
    optimizer = lib.optim.AdamW(model.parameters(), lr=2e-3)

    @lib.no_grad()
    def drawn(count: int) -> Any:
        x = lib.zeros(count, 1, 8, 8)
        for number in reversed(range(STEPS - 3, STEPS)):
            t = lib.full((count,), number, dtype=lib.long)
            noise = average(x, t) * of_time(beta / (1 - alpha_bar).sqrt(), t)
            x = (x - noise) / of_time((1 - beta).sqrt(), t)
        return x.clamp_(-1, 1)

    def step(number: int) -> float:
        x = images[lib.from_numpy(random.integers(0, len(images), 16))]
        noise = lib.from_numpy(random.normal(size=x.shape).astype(np.float32))
        t = lib.from_numpy(random.integers(0, STEPS, len(x)))
        noisy = of_time(alpha_bar.sqrt(), t) * x + of_time((1 - alpha_bar).sqrt(), t) * noise
        loss = functional.smooth_l1_loss(model(noisy, t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for ours, theirs in zip(average.parameters(), model.parameters(), strict=True):
            ours.data.lerp_(theirs.data, 0.1)
        assert drawn(2).abs().max().item() <= 1
        return float(loss.item())

    return step
