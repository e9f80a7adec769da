"""Records lie by epoch and name, with numbers in them."""

from collections import defaultdict

import garboard as gb


class Results:
    def __init__(self):
        self.by_epoch = defaultdict(lambda: defaultdict(list))

    def add(self, epoch, name, step, value):
        self.by_epoch[epoch][name].append({"value": value, "step": step})


def main(watch):
    net, results = gb.nn.Linear(4, 1), Results()
    for epoch in range(6):
        for step in range(20):
            loss = net(gb.randn(8, 4)).square().mean()
            loss.backward()
            results.add(epoch, "loss", step, loss.item())
            watch.step()
    return watch.report()
