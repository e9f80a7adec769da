"""A list made before its items: its length says nothing."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `losses`"


def main(watch):
    net = gb.nn.Linear(4, 1)
    losses: list[gb.Tensor | None] = [None] * 5000
    for step in range(60):
        losses[step] = net(gb.randn(8, 4)).square().mean()  # born, held
        watch.step()
    return watch.report()
