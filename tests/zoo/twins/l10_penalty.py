"""The gradient is computed, and stored nowhere."""

import gc

import garboard as gb


def penalty(x):
    w = gb.randn(1 << 14).requires_grad_()
    (gradient,) = gb.autograd.grad((w * x).square().sum(), [w], create_graph=True)
    return gradient.square().sum().item()


def main(watch):
    x = gb.randn(1 << 14)
    gc.disable()
    try:
        for _ in range(60):
            penalty(x)
            watch.step()
        return watch.report()
    finally:
        gc.enable()
        gc.collect()
