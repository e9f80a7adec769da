"""The trainer logs numbers."""

import garboard as gb


class Trainer:
    def __init__(self):
        self.net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Tanh(), gb.nn.Linear(8, 1))
        self.losses = []

    def step(self, x):
        loss = self.net(x).square().mean()
        loss.backward()
        self.losses.append(loss.item())


def main(watch):
    trainer = Trainer()
    for _ in range(60):
        trainer.step(gb.randn(8, 4))
        watch.step()
    return watch.report()
