"""A buffer is updated in place in forward, with its history, and its owner has another name."""

import garboard as gb

KIND, VERDICT, HOLDER = "graph-in-running-stat", "LEAK", "attribute `Norm.running`"
FIX = "stats.running.mul_(0.9).add_(y.mean(0).detach() * 0.1)"


class Norm(gb.nn.Module):
    running: gb.Tensor

    def __init__(self):
        super().__init__()
        self.weight = gb.nn.Parameter(gb.ones(8))
        self.register_buffer("running", gb.zeros(8))

    def forward(self, x):
        y, stats = x * self.weight, self
        stats.running.mul_(0.9).add_(y.mean(0) * 0.1)  # born, held
        return y


def main(watch):
    net = Norm()
    for _ in range(80):
        net(gb.randn(8, 8)).sum().backward()
        watch.step()
    return watch.report()
