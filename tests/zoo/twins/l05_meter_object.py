"""The meter adds values."""

import garboard as gb


class Meter:
    def __init__(self):
        self.sum, self.count = 0, 0

    def update(self, value, n):
        self.sum += (value * n).detach()
        self.count += n


def main(watch):
    net, meter = gb.nn.Linear(4, 1), Meter()
    for _ in range(80):
        meter.update(net(gb.randn(8, 4)).square().mean(), 8)
        watch.step()
    return watch.report()
