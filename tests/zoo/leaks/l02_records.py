"""A record a step, and one of its parts is a tensor."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `log`"
FIX = "log.append((step, {'loss': loss.item()}))"


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    log = []
    for step in range(60):
        loss = (gb.randn(8, 4) @ w).square().mean()  # born
        loss.backward()
        log.append((step, {"loss": loss}))  # held
        watch.step()
    return watch.report()
