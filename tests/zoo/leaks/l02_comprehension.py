"""A list that has no name until it is complete."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "list `losses`"


def main(watch):
    net = gb.nn.Linear(4, 1)

    def batches():
        for _ in range(60):
            yield gb.randn(8, 4)
            watch.step()

    losses = [net(x).square().mean() for x in batches()]  # born
    report = watch.report()
    losses.clear()
    return report
