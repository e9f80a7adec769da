"""A finished run has an optimizer, and all runs are kept."""

import garboard as gb

KIND, VERDICT, HOLDER = "optimizer-orphan", "LEAK", "list `runs`"


class Run:
    def __init__(self, net):
        self.optimizer = gb.optim.SGD(net.parameters(), lr=1e-2)


def main(watch):
    runs = []
    for _ in range(60):
        net = gb.nn.Linear(4, 2)  # born
        runs.append(Run(net))  # held
        net(gb.randn(8, 4)).square().mean().backward()
        runs[-1].optimizer.step()
        watch.step()
    return watch.report()
