"""Heat that spreads on a grid: an operator learns by weights on frequencies (Li, Kovachki 2021)."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, equal_start

SIDE, WIDTH, MODES = 32, 12, 6


def build(lib: Any) -> Step:
    """Make the operator, and the step that has it foresee how a field spreads."""
    nn, functional = lib.nn, lib.nn.functional

    class OnFrequencies(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            draw = np.random.default_rng(1).normal(size=(2, WIDTH, WIDTH, MODES, MODES, 2))
            weights = (draw / WIDTH).astype(np.float32)
            self.low, self.high = (
                nn.Parameter(lib.view_as_complex(lib.from_numpy(part.copy()))) for part in weights
            )

        def forward(self, x: Any) -> Any:
            of_x = lib.fft.rfft2(x, norm="ortho")
            out = lib.zeros(*x.shape[:3], SIDE // 2 + 1, dtype=lib.cfloat)
            for rows, weight in (
                (slice(None, MODES), self.low),
                (slice(-MODES, None), self.high),
            ):
                part = of_x[:, :, rows, :MODES]
                out[:, :, rows, :MODES] = lib.einsum("bixy,ioxy->boxy", part, weight)
            return lib.fft.irfft2(out, s=(SIDE, SIDE), norm="ortho")

    class Operator(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lift, self.drop = nn.Linear(3, WIDTH), nn.Linear(WIDTH, 1)
            self.spectral = nn.ModuleList(OnFrequencies() for _ in range(2))
            self.local = nn.ModuleList(nn.Conv2d(WIDTH, WIDTH, 1) for _ in range(2))

        def forward(self, x: Any) -> Any:
            axis = lib.linspace(0, 1, SIDE)
            places = lib.stack(lib.meshgrid(axis, axis, indexing="ij"), -1)
            x = lib.cat((x[..., None], places.expand(len(x), SIDE, SIDE, 2)), -1)
            x = self.lift(x).permute(0, 3, 1, 2)
            for spectral, local in zip(self.spectral, self.local, strict=True):
                x = functional.gelu(spectral(x) + local(x))
            return self.drop(x.permute(0, 2, 3, 1)).squeeze(-1)

    waves = lib.fft.fftfreq(SIDE, 1 / SIDE)
    decay = lib.exp(-0.02 * (waves[:, None] ** 2 + waves[None, :] ** 2))
    random = np.random.default_rng(0)
    model = Operator()
    for part in (model.lift, model.drop, *model.local):
        equal_start(lib, part)
    optimizer = lib.optim.Adam(model.parameters(), lr=5e-3)

    def step(number: int) -> float:
        fields = lib.from_numpy(random.normal(size=(4, SIDE, SIDE)).astype(np.float32))
        later = lib.fft.ifft2(lib.fft.fft2(fields) * decay).real
        optimizer.zero_grad()
        loss = functional.mse_loss(model(fields), later)
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return step
