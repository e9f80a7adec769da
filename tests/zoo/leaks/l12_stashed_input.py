"""A Function stores what it computes as attributes of ctx; the outputs are logged with graphs."""

import garboard as gb

KIND, VERDICT, HOLDER = "ctx-stash", "LEAK", "attribute `ctx.powers`"
FIX = "give it to ctx.save_for_backward(...), and read ctx.saved_tensors"


class Cube(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.powers = x * x  # born, held
        return ctx.powers * x

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.powers * 3


def main(watch):
    w = gb.randn(256).requires_grad_()
    log = []
    for _ in range(60):
        log.append(Cube.apply(w))
        watch.step()
    return watch.report()
