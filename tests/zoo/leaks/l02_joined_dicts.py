"""A log is joined with a dict of each step."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "dict `log`"
FIX = "log |= {f'loss/{step}': loss.item()}"


def main(watch):
    net, log = gb.nn.Linear(4, 1), {}
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        log |= {f"loss/{step}": loss}  # held
        watch.step()
    return watch.report()
