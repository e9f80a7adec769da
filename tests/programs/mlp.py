"""A perceptron with batch norm learns the sign of products, from a loader, on a schedule."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from examples.shared import Step, equal_start


def build(lib: Any) -> Step:
    """Make the network and the step that trains it on the next batch."""
    nn, data = lib.nn, lib.utils.data

    class Perceptron(nn.Module):
        def __init__(self, sizes: list[int]) -> None:
            super().__init__()
            layers: list[Any] = []
            for before, after in pairwise(sizes[:-1]):
                layers += [nn.Linear(before, after), nn.BatchNorm1d(after), nn.ReLU(inplace=True)]
            self.body = nn.Sequential(*layers)
            self.head = nn.Linear(sizes[-2], sizes[-1])

        def forward(self, x: Any) -> Any:
            return self.head(self.body(x.flatten(1)))

    random = np.random.default_rng(0)
    x = random.normal(size=(256, 6)).astype(np.float32)
    label = (x[:, 0] * x[:, 1] > 0).astype(np.int64) + (x[:, 2] * x[:, 3] > 0)
    rows = data.TensorDataset(lib.from_numpy(x), lib.from_numpy(label))
    loader = data.DataLoader(rows, batch_size=32, shuffle=False, drop_last=True)
    model = equal_start(lib, Perceptron([6, 64, 32, 3]))
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim < 2]
    optimizer = lib.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}],
        lr=1e-2,
    )
    schedule = lib.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2e-2, total_steps=200)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.05)

    def step(number: int) -> float:
        total, count = 0.0, 0
        for inputs, targets in loader:
            optimizer.zero_grad(set_to_none=True)
            scores = model(inputs)
            loss = loss_of(scores, targets)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item() * inputs.size(0)
            count += inputs.size(0)
        schedule.step()
        _, predicted = scores.max(1)
        assert 0 <= predicted.eq(targets).sum().item() <= targets.numel()
        return total / count

    return step
