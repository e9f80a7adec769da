"""A run lets go of its optimizer when it is done."""

import garboard as gb


class Run:
    def __init__(self, net):
        self.optimizer = gb.optim.SGD(net.parameters(), lr=1e-2)


def main(watch):
    runs = []
    for _ in range(60):
        net = gb.nn.Linear(4, 2)
        runs.append(Run(net))
        net(gb.randn(8, 4)).square().mean().backward()
        runs[-1].optimizer.step()
        runs[-1].optimizer = None
        watch.step()
    return watch.report()
