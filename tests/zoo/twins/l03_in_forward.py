"""The layers are built once, and forward only uses them."""

import garboard as gb


class Net(gb.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = gb.nn.ModuleList([gb.nn.Linear(4, 4)])

    def forward(self, x):
        return self.layers[-1](x)


def main(watch):
    net = Net()
    for _ in range(60):
        net(gb.randn(8, 4)).square().mean().backward()
        watch.step()
    return watch.report()
