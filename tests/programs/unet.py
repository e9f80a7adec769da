"""A U-Net finds discs in noise, by cross entropy and the dice coefficient."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, equal_start

SIDE = 24


def build(lib: Any) -> Step:
    """Make the network and the step that trains it."""
    nn, functional = lib.nn, lib.nn.functional

    def double(before: int, after: int) -> Any:
        return nn.Sequential(
            nn.Conv2d(before, after, 3, padding=1, bias=False),
            nn.BatchNorm2d(after),
            nn.ReLU(inplace=True),
            nn.Conv2d(after, after, 3, padding=1),
            nn.GroupNorm(2, after),
            nn.SiLU(),
        )

    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second, self.deepest = double(1, 8), double(8, 16), double(16, 16)
            self.pool = nn.MaxPool2d(2)
            self.up = nn.ConvTranspose2d(16, 16, kernel_size=2, stride=2)
            self.left = double(32, 8)
            self.right = double(16, 8)
            self.out = nn.Conv2d(8, 2, kernel_size=1)

        def forward(self, x: Any) -> Any:
            a = self.first(x)
            b = self.second(self.pool(a))
            c = self.left(lib.cat([b, self.up(self.deepest(self.pool(b)))], dim=1))
            c = functional.interpolate(c, size=a.shape[2:], mode="bilinear", align_corners=False)
            return self.out(self.right(lib.cat([a, c], dim=1)))

    def dice(scores: Any, target: Any, epsilon: float = 1e-6) -> Any:
        chance = functional.softmax(scores, dim=1)
        wanted = functional.one_hot(target, 2).permute(0, 3, 1, 2).float()
        both = 2 * (chance * wanted).sum(dim=(2, 3))
        all_of_them = (chance + wanted).sum(dim=(2, 3))
        return 1 - ((both + epsilon) / (all_of_them + epsilon)).mean()

    random = np.random.default_rng(0)
    rows, columns = np.mgrid[:SIDE, :SIDE]
    model = equal_start(lib, UNet())
    # Not the usual epsilon: it would take gradients that are but rounding for steps of full length.
    settings = {"lr": 1e-3, "eps": 1e-5, "momentum": 0.9, "weight_decay": 1e-8}
    optimizer = lib.optim.RMSprop(model.parameters(), **settings)
    schedule = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "min", patience=2)

    def step(number: int) -> float:
        middle = random.integers(6, SIDE - 6, (4, 2, 1, 1))
        mask = (rows - middle[:, 0]) ** 2 + (columns - middle[:, 1]) ** 2 < 25
        image = mask[:, None] + random.normal(0, 0.5, (4, 1, SIDE, SIDE))
        target = lib.from_numpy(mask.astype(np.int64))
        scores = model(lib.from_numpy(image.astype(np.float32)))
        loss = functional.cross_entropy(scores, target) + dice(scores, target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.1)
        optimizer.step()
        schedule.step(loss.item())
        return float(loss.item())

    return step
