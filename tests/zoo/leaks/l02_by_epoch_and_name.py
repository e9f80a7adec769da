"""Records lie by epoch and name in a dict that nothing takes an epoch out of."""

from collections import defaultdict

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "defaultdict `Results.by_epoch`"
FIX = "self.by_epoch[epoch][name].append({'value': value.item(), 'step': step})"


class Results:
    def __init__(self):
        self.by_epoch = defaultdict(lambda: defaultdict(list))

    def add(self, epoch, name, step, value):
        self.by_epoch[epoch][name].append({"value": value, "step": step})  # held


def main(watch):
    net, results = gb.nn.Linear(4, 1), Results()
    for epoch in range(6):
        for step in range(20):
            loss = net(gb.randn(8, 4)).square().mean()  # born
            loss.backward()
            results.add(epoch, "loss", step, loss)
            watch.step()
    return watch.report()
