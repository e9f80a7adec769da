"""A list has a finalizer that clears it when its model dies, which has no part in its growth."""

import weakref

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Model.outs`"
FIX = "self.outs.append(y.item())"


class Model:
    def __init__(self):
        self.net, self.outs = gb.nn.Linear(4, 1), []
        weakref.finalize(self, self.outs.clear)

    def step(self, x):
        y = self.net(x).mean()  # born
        self.outs.append(y)  # held
        return y


def main(watch):
    model = Model()
    for _ in range(80):
        model.step(gb.randn(2, 4)).backward()
        watch.step()
    return watch.report()
