"""A Function keeps what it needs in a dict on its context, which backward cannot free."""

import garboard as gb

KIND, VERDICT, HOLDER = "ctx-stash", "LEAK", "item `ctx.cache['mask']`"


class Gate(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        top = x.amax()
        ctx.cache = {"top": top, "mask": (x > 0).float()}  # born, held
        return x * ctx.cache["mask"]

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.cache["mask"]


def main(watch):
    w = gb.randn(64).requires_grad_()
    outputs = []
    for _ in range(60):
        outputs.append(Gate.apply(w))
        watch.step()
    return watch.report()
