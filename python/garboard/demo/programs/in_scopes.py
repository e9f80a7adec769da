"""Train inside scopes: what a step makes is gone when its block ends."""

# mypy: ignore-errors

import garboard as gb
from garboard.nn.functional import cross_entropy

__all__ = ["accuracy", "train"]


def train(model, optimizer, batches, epochs):
    for _ in range(epochs):
        total = 0.0
        for x, y in batches:
            with gb.dispose_scope("step"):
                loss = cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()  # a number: nothing hangs on it
        yield total / len(batches)


def accuracy(model, x, y):
    with gb.no_grad(), gb.dispose_scope("accuracy"):
        return (model(x).argmax(dim=1) == y).sum().item() / len(y)
