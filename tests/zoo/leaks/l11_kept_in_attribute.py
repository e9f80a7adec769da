"""The trainer logs every loss with a graph that was kept for nobody."""

import garboard as gb

KIND, VERDICT, HOLDER = "retain-graph", "LEAK", "list `Trainer.losses`"


class Trainer:
    def __init__(self):
        self.net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Tanh(), gb.nn.Linear(8, 1))
        self.losses = []

    def step(self, x):
        loss = self.net(x).square().mean()  # born
        loss.backward(retain_graph=True)
        self.losses.append(loss)  # held


def main(watch):
    trainer = Trainer()
    for _ in range(60):
        trainer.step(gb.randn(8, 4))
        watch.step()
    return watch.report()
