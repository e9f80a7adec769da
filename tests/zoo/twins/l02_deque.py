"""The last sixteen losses."""

from collections import deque

import garboard as gb


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    x = gb.randn(8, 4)
    losses = deque(maxlen=16)
    for _ in range(60):
        loss = (x @ w).square().mean()
        loss.backward()
        losses.append(loss)
        watch.step()
    return watch.report()
