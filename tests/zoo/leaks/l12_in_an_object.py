"""A layer keeps each output for a figure, and the contexts keep what they computed."""

import garboard as gb

KIND, VERDICT, HOLDER = "ctx-stash", "LEAK", "attribute `ctx.root`"


class Root(gb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.root = (x * x + 1).sqrt()  # born, held
        return ctx.root * 1

    @staticmethod
    def backward(ctx, gradient):
        return gradient / ctx.root


class Layer:
    def __init__(self):
        self.weight = gb.randn(64).requires_grad_()
        self.figures = []

    def step(self):
        self.figures.append(Root.apply(self.weight))


def main(watch):
    layer = Layer()
    for _ in range(60):
        layer.step()
        watch.step()
    return watch.report()
