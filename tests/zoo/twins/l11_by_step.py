"""The curve is of numbers, and no graph is kept."""

import garboard as gb

curve = {}


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Tanh(), gb.nn.Linear(8, 1))
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()
        loss.backward()
        curve[step] = loss.item()
        watch.step()
    return watch.report()
