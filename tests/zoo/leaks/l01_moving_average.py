"""A moving average of the weights in a variable keeps the history of all steps."""

import garboard as gb

KIND, VERDICT, HOLDER = "accumulated-graph", "LEAK", "local `average`"
FIX = "average = 0.9 * average + 0.1 * w.detach()"


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    average = gb.zeros(4, 1)
    for _ in range(60):
        (gb.randn(8, 4) @ w).square().mean().backward()
        average = 0.9 * average + 0.1 * w  # born, held
        watch.step()
    return watch.report()
