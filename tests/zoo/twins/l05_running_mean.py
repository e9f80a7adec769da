"""The running mean is updated inside no_grad()."""

import garboard as gb


class Trainer:
    def __init__(self):
        self.w = gb.randn(4, 1).requires_grad_()
        self.ema = gb.zeros(())

    def step(self, x):
        loss = (x @ self.w).square().mean()
        loss.backward()
        with gb.no_grad():
            self.ema = 0.9 * self.ema + 0.1 * loss


def main(watch):
    trainer = Trainer()
    for _ in range(60):
        trainer.step(gb.randn(8, 4))
        watch.step()
    return watch.report()
