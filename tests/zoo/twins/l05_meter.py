"""The sums are numbers."""

import garboard as gb


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    sums = {"loss": 0.0}
    for _ in range(60):
        loss = (gb.randn(8, 4) @ w).square().mean()
        loss.backward()
        sums["loss"] += loss.item()
        watch.step()
    return watch.report()
