"""The factor of a moving average has a name, and the graph of every loss stays."""

import garboard as gb

KIND, VERDICT, HOLDER = "graph-in-running-stat", "LEAK", "attribute `Meter.mean`"
FIX = "self.mean = (beta * self.mean + (1 - beta) * value).detach()"


class Meter:
    mean = 0.0

    def update(self, value, beta=0.9):
        self.mean = beta * self.mean + (1 - beta) * value  # born, held


def main(watch):
    net, meter = gb.nn.Linear(4, 1), Meter()
    for _ in range(80):
        loss = net(gb.randn(8, 4)).square().mean()
        loss.backward()
        meter.update(loss)
        watch.step()
    return watch.report()
