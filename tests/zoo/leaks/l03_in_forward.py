"""forward builds a layer each time, and a plain list keeps them."""

import garboard as gb

KIND, VERDICT, HOLDER = "duplicate-nets", "LEAK", "list `Net.layers`"


class Net(gb.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = []

    def forward(self, x):
        self.layers.append(gb.nn.Linear(4, 4))  # born, held
        return self.layers[-1](x)


def main(watch):
    net = Net()
    for _ in range(60):
        net(gb.randn(8, 4)).square().mean().backward()
        watch.step()
    return watch.report()
