"""A Function stashes a mask, and a list of outputs keeps every context."""

import garboard as gb

KIND, VERDICT, HOLDER = "ctx-stash", "LEAK", "attribute `ctx.mask`"


class Gate(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mask = (x > 0).float()  # born, held
        return x * ctx.mask

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.mask


def main(watch):
    w = gb.randn(256).requires_grad_()
    outputs = []
    for _ in range(60):
        outputs.append(Gate.apply(w))
        watch.step()
    return watch.report()
