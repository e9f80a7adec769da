"""The child overrides what builds the net, and the parent keeps none beside it."""

import garboard as gb


class Parent:
    def __init__(self):
        self.net = self.build()

    def build(self):
        return gb.nn.Linear(4, 2)


class Child(Parent):
    def build(self):
        return gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU(), gb.nn.Linear(8, 2))


def main(watch):
    x = gb.randn(8, 4)
    child = Child()
    opt = gb.optim.SGD(child.net.parameters(), lr=1e-2)
    for _ in range(60):
        opt.zero_grad()
        child.net(x).square().mean().backward()
        opt.step()
        watch.step()
    return watch.report()
