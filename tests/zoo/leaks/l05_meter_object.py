"""A meter's average is a property; its sum has all graphs, and no backward ever runs."""

import garboard as gb

KIND, VERDICT, HOLDER = "graph-in-running-stat", "LEAK", "attribute `Meter.sum`"
FIX = "self.sum += (value * n).detach()"


class Meter:
    def __init__(self):
        self.sum, self.count = 0, 0

    def update(self, value, n):
        self.sum += value * n  # born, held
        self.count += n


def main(watch):
    net, meter = gb.nn.Linear(4, 1), Meter()
    for _ in range(80):
        meter.update(net(gb.randn(8, 4)).square().mean(), 8)
        watch.step()
    return watch.report()
