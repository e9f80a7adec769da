"""Retained graphs save megabytes that were born where one small tensor lives."""

import garboard as gb

KIND, VERDICT, HOLDER = "retain-graph", "LEAK", "list `log`"

log = []
z = None


def main(watch):
    global z
    trunk, head = gb.nn.Linear(16, 64), gb.nn.Linear(64, 1)
    for _ in range(100):
        z = trunk(gb.randn(64, 16)).relu()
        loss = head(z).square().mean()  # born
        loss.backward(retain_graph=True)
        log.append(loss)  # held
        watch.step()
    return watch.report()
