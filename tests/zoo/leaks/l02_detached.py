"""Without history each item is four bytes, and still a tensor a step."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Trainer.losses`"
FIX = "self.losses.append((x @ self.w).square().mean().detach().item())"


class Trainer:
    def __init__(self):
        self.w = gb.randn(4, 1).requires_grad_()
        self.losses = []

    def fit(self, x):
        self.losses.append((x @ self.w).square().mean().detach())  # born, held


def main(watch):
    trainer = Trainer()
    for _ in range(60):
        trainer.fit(gb.randn(8, 4))
        watch.step()
    return watch.report()
