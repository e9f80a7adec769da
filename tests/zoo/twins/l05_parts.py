"""The same parts, summed as numbers."""

import garboard as gb


def main(watch):
    net, sums = gb.nn.Linear(4, 2), {}
    for _ in range(80):
        y = net(gb.randn(8, 4))
        parts = {"square": y.square().mean(), "size": y.abs().mean()}
        sum(parts.values(), gb.zeros(())).backward()
        for name, part in parts.items():
            sums[name] = sums.get(name, 0) + part.item()
        watch.step()
    return watch.report()
