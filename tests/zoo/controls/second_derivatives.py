"""Gradients of gradients, with zero_grad() at each step."""

import garboard as gb


def main(watch):
    w = gb.randn(4).requires_grad_()
    for _ in range(60):
        (gradient,) = gb.autograd.grad((w**3).sum(), [w], create_graph=True)
        gradient.square().sum().backward()
        w.grad = None
        watch.step()
    return watch.report()
