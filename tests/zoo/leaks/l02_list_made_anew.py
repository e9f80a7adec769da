"""A list that is made anew at each step, with the new loss and all the old ones."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `history`"


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    history = []
    for _ in range(60):
        loss = (gb.randn(8, 4) @ w).square().mean()  # born
        loss.backward()
        history = history + [loss]  # noqa: RUF005  # held
        watch.step()
    return watch.report()
