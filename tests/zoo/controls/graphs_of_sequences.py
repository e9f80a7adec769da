"""One graph of 70 tokens, and one of 30 inner steps: a backward pass ends each."""

import garboard as gb


def main(watch):
    cell = gb.nn.GRUCell(4, 8)
    meta = gb.randn(4).requires_grad_()
    for _ in range(2):
        h = gb.zeros(1, 8)
        for _ in range(70):
            h = cell(gb.randn(1, 4), h)
            watch.step()
        h.square().mean().backward()
        fast = meta
        for _ in range(30):
            loss = (fast * gb.randn(4)).square().mean()
            (slope,) = gb.autograd.grad(loss, [fast], create_graph=True)
            fast = fast - 0.01 * slope
            watch.step()
        fast.square().sum().backward()
    return watch.report()
