"""A list capped by hand, at a number that no code says."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "list `recent`"


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    most = gb.full((), 500)
    recent = []
    for _ in range(60):
        loss = (gb.randn(8, 4) @ w).square().mean().detach()  # born
        recent.append(loss)  # held
        if len(recent) > most.item():
            recent.pop(0)
        watch.step()
    return watch.report()
