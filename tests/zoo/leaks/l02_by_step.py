"""A dict of losses by step."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "dict `history`"
FIX = "history[step] = loss.item()"

history = {}


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    x = gb.randn(8, 4)
    for step in range(60):
        loss = (x @ w).square().mean()  # born
        loss.backward()
        history[step] = loss  # held
        watch.step()
    return watch.report()
