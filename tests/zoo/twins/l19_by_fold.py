"""A fold's optimizer is dropped with its net."""

import garboard as gb


def main(watch):
    for _ in range(60):
        net = gb.nn.Linear(4, 2)
        optimizer = gb.optim.SGD(net.parameters(), lr=1e-2)
        net(gb.randn(8, 4)).square().mean().backward()
        optimizer.step()
        watch.step()
    return watch.report()
