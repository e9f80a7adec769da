"""The sum is a tensor without history."""

import garboard as gb


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    x = gb.randn(8, 4)
    total = gb.zeros(())
    for _ in range(60):
        loss = (x @ w).square().mean()
        loss.backward()
        total += loss.detach()
        watch.step()
    return watch.report()
