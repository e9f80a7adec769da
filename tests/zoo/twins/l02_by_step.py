"""A dict of numbers by step."""

import garboard as gb

history = {}


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    x = gb.randn(8, 4)
    for step in range(60):
        loss = (x @ w).square().mean()
        loss.backward()
        history[step] = loss.item()
        watch.step()
    return watch.report()
