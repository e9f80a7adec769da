"""The parts of a loss are summed by name in one statement, each with its history."""

import garboard as gb

KIND, VERDICT, HOLDER = "graph-in-running-stat", "LEAK", "item `sums["


def main(watch):
    net, sums = gb.nn.Linear(4, 2), {}
    for _ in range(80):
        y = net(gb.randn(8, 4))
        parts = {"square": y.square().mean(), "size": y.abs().mean()}
        sum(parts.values(), gb.zeros(())).backward()
        for name, part in parts.items():
            sums[name] = sums.get(name, 0) + part  # born, held
        watch.step()
    return watch.report()
