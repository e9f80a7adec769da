"""Meters by name: one is given tensors, another numbers."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Meter.values`"
FIX = "self.values.append(value.item() if hasattr(value, 'item') else value)"


class Meter:
    def __init__(self):
        self.values = []

    def add(self, value):
        self.values.append(value)  # held


def main(watch):
    net, meters = gb.nn.Linear(4, 1), {"loss": Meter(), "lr": Meter()}
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        meters["loss"].add(loss)
        meters["lr"].add(0.1 / (step + 1))
        watch.step()
    return watch.report()
