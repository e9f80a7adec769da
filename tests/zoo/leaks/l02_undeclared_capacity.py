"""Losses that the program will drop at five hundred: nobody can know before it does."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "list `recent`"


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    recent = []
    for _ in range(60):
        loss = (gb.randn(8, 4) @ w).square().mean().detach()  # born
        recent.append(loss)  # held
        if len(recent) > 500:
            recent.pop(0)
        watch.step()
    return watch.report()
