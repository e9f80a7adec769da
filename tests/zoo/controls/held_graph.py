"""A graph over twenty steps is kept for later, and does not grow any more."""

import garboard as gb


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    total = 0
    for step in range(120):
        loss = (gb.randn(8, 4) @ w).square().mean()
        if step < 20:
            total = total + loss
        watch.step()
    total.backward()
    return watch.report()
