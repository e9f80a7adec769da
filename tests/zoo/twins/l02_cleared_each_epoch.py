"""A list of losses that lasts for an epoch."""

import garboard as gb


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    x = gb.randn(8, 4)
    losses = []
    for _ in range(4):
        for _ in range(20):
            loss = (x @ w).square().mean()
            loss.backward()
            losses.append(loss.detach())
            watch.step()
        losses.clear()
        watch.epoch()
    return watch.report()
