"""A running mean in an attribute is updated with history."""

import garboard as gb

KIND, VERDICT, HOLDER = "graph-in-running-stat", "LEAK", "attribute `Trainer.ema`"
FIX = "self.ema = 0.9 * self.ema + 0.1 * loss.detach()"


class Trainer:
    def __init__(self):
        self.w = gb.randn(4, 1).requires_grad_()
        self.ema = gb.zeros(())

    def step(self, x):
        loss = (x @ self.w).square().mean()
        loss.backward()
        self.ema = 0.9 * self.ema + 0.1 * loss  # born, held


def main(watch):
    trainer = Trainer()
    for _ in range(60):
        trainer.step(gb.randn(8, 4))
        watch.step()
    return watch.report()
