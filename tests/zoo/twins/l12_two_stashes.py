"""The mask is saved for backward."""

import garboard as gb


class Gate(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        mask = (x > 0).float()
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, gradient):
        (mask,) = ctx.saved_tensors
        return gradient * mask


def main(watch):
    w = gb.randn(256).requires_grad_()
    outputs = []
    for _ in range(60):
        out = Gate.apply(w)
        out.sum().backward()
        outputs.append(out.sum().item())
        watch.step()
    return watch.report()
