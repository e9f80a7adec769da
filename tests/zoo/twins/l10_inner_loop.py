"""The inner loop asks for gradients, and stores none."""

import gc

import garboard as gb


class Learner:
    def __init__(self):
        self.slow = gb.randn(1 << 14)

    def adapt(self):
        fast = self.slow.clone().requires_grad_()
        loss = (fast**3).mean()
        (gradient,) = gb.autograd.grad(loss, [fast], create_graph=True)
        return (fast - 0.1 * gradient).detach().mean().item()


def main(watch):
    learner = Learner()
    gc.disable()
    try:
        for _ in range(60):
            learner.adapt()
            watch.step()
        return watch.report()
    finally:
        gc.enable()
        gc.collect()
