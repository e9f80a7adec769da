"""A meter sums losses in a dict."""

import garboard as gb

KIND, VERDICT, HOLDER = "graph-in-running-stat", "LEAK", "item `sums['loss']`"
FIX = "sums['loss'] += loss.detach()"


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    sums = {"loss": 0}
    for _ in range(60):
        loss = (gb.randn(8, 4) @ w).square().mean()
        loss.backward()
        sums["loss"] += loss  # born, held
        watch.step()
    return watch.report()
