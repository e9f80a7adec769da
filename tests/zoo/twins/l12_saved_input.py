"""The Function saves for backward, which frees it."""

import garboard as gb


class Cube(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        powers = x * x
        ctx.save_for_backward(powers)
        return powers * x

    @staticmethod
    def backward(ctx, gradient):
        (powers,) = ctx.saved_tensors
        return gradient * powers * 3


def main(watch):
    w = gb.randn(256).requires_grad_()
    log = []
    for _ in range(60):
        loss = Cube.apply(w).sum()
        loss.backward()
        log.append(loss.item())
        watch.step()
    return watch.report()
