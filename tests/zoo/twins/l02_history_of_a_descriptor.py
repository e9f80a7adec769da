"""A descriptor keeps a number of each value in a list whose name it computes."""

import garboard as gb


class Tracked:
    def __set_name__(self, owner, name):
        self.name = name

    def __set__(self, run, value):
        vars(run).setdefault(f"{self.name}_history", []).append(value.item())
        vars(run)[self.name] = value

    def __get__(self, run, owner=None):
        return vars(run)[self.name]


class Run:
    loss = Tracked()


def main(watch):
    run, net = Run(), gb.nn.Linear(4, 1)
    for _ in range(80):
        loss = net(gb.randn(8, 4)).square().mean()
        loss.backward()
        run.loss = loss
        watch.step()
    return watch.report()
