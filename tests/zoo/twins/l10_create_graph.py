"""`grad()` gives the gradient to the caller, and nothing to the parameter."""

import gc

import garboard as gb


def step():
    w = gb.randn(1 << 14).requires_grad_()
    (gradient,) = gb.autograd.grad((w**3).sum(), [w], create_graph=True)
    return gradient.sum().item()


def main(watch):
    gc.disable()
    try:
        for _ in range(60):
            step()
            watch.step()
        return watch.report()
    finally:
        gc.enable()
