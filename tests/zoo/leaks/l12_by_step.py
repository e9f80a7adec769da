"""A dict of outputs by step, each with what its Function has stashed."""

import garboard as gb

KIND, VERDICT, HOLDER = "ctx-stash", "LEAK", "attribute `ctx.scale`"


class Scaled(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.scale = x.abs() + 1  # born, held
        return x / ctx.scale

    @staticmethod
    def backward(ctx, gradient):
        return gradient / ctx.scale


def main(watch):
    w = gb.randn(128).requires_grad_()
    seen = {}
    for step in range(60):
        seen[step] = Scaled.apply(w)
        watch.step()
    return watch.report()
