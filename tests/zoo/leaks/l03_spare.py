"""One child, trained for long; its parent's net lives on beside it, without a gradient."""

import garboard as gb

KIND, VERDICT, HOLDER = "duplicate-nets", "RETAINED", "list `Parent.built`"
FIX = "build the net once: override the method that builds it, and let Parent.built go"


class Parent:
    built = []  # noqa: RUF012

    def __init__(self):
        self.net = gb.nn.Linear(4, 2)  # born
        self.built.append(self.net)  # held


class Child(Parent):
    def __init__(self):
        super().__init__()
        self.net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU(), gb.nn.Linear(8, 2))


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
