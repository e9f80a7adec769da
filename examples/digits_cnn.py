"""A convolutional network learns handwritten digits."""

from __future__ import annotations

from typing import Any

from examples.shared import Step, digits, equal_start, main


def build(lib: Any) -> Step:
    """Make the network and its training step."""
    nn = lib.nn
    images, labels = digits()
    data = lib.utils.data.TensorDataset(lib.from_numpy(images), lib.from_numpy(labels))
    loader = lib.utils.data.DataLoader(data, batch_size=64, drop_last=True)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
    )
    equal_start(lib, model)
    optimizer = lib.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = lib.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=200)
    batches: list[Any] = []

    def step(number: int) -> float:
        if not batches:
            batches.append(iter(loader))
        x, y = next(batches[0], (None, None))
        if x is None:
            batches[0] = iter(loader)
            x, y = next(batches[0])
        loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        return float(loss.item())

    return step


if __name__ == "__main__":
    main(build, 200, __doc__ or "")
