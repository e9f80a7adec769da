"""Four losses are summed before one backward, and the sum begins anew in each step."""

import garboard as gb


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    for _ in range(60):
        total = 0
        for _ in range(4):
            total += (gb.randn(8, 4) @ w).square().mean()
        total.backward()
        watch.step()
    return watch.report()
