"""A loop that tells its epochs, and no steps."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `outputs`"


def main(watch):
    net, outputs = gb.nn.Linear(4, 1), []
    for _ in range(20):
        outputs.append(net(gb.randn(8, 4)).mean())  # born, held
        watch.epoch()
    return watch.report()
