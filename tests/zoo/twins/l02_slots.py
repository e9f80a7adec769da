"""A list made before its items, which are numbers."""

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 1)
    losses: list[float | None] = [None] * 5000
    for step in range(60):
        losses[step] = net(gb.randn(8, 4)).square().mean().item()
        watch.step()
    return watch.report()
