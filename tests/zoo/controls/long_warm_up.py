"""Fifty steps fill a normaliser's statistics before training begins."""

import garboard as gb


class Normaliser:
    def __init__(self):
        self.seen = []
        self.mean, self.std = gb.zeros(4), gb.ones(4)

    def observe(self, x):
        self.seen.append(x)

    def freeze(self):
        data = gb.cat(self.seen)
        self.mean, self.std = data.mean(0), data.std(0)
        self.seen = []

    def __call__(self, x):
        return (x - self.mean) / self.std


def main(watch):
    net = gb.nn.Linear(4, 1)
    opt = gb.optim.SGD(net.parameters(), lr=0.1)
    norm = Normaliser()
    for step in range(150):
        x = gb.randn(8, 4)
        if step < 50:
            norm.observe(x)
        else:
            if step == 50:
                norm.freeze()
            loss = net(norm(x)).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        watch.step()
    return watch.report()
