"""Each loss becomes an attribute with a name of its own."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "Log `log`"


class Log:
    """What was measured."""


def main(watch):
    w, log = gb.randn(4, 1).requires_grad_(), Log()
    for step in range(60):
        loss = (gb.randn(8, 4) @ w).square().mean()  # born
        loss.backward()
        setattr(log, f"loss_{step}", loss)  # held
        watch.step()
    return watch.report()
