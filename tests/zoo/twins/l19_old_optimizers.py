"""Each fold's optimizer goes with its model."""

import garboard as gb


def main(watch):
    for _ in range(60):
        net = gb.nn.Linear(4, 2)
        optimizer = gb.optim.Adam(net.parameters())
        net(gb.randn(8, 4)).square().mean().backward()
        optimizer.step()
        watch.step()
    return watch.report()
