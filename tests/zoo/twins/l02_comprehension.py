"""A list of numbers that has no name until it is complete."""

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 1)

    def batches():
        for _ in range(60):
            yield gb.randn(8, 4)
            watch.step()

    losses = [net(x).square().mean().item() for x in batches()]
    report = watch.report()
    losses.clear()
    return report
