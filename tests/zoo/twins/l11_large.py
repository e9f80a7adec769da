"""Numbers are logged, and no graph is retained."""

import garboard as gb

log = []
z = None


def main(watch):
    global z
    trunk, head = gb.nn.Linear(16, 64), gb.nn.Linear(64, 1)
    for _ in range(100):
        z = trunk(gb.randn(64, 16)).relu()
        loss = head(z).square().mean()
        loss.backward()
        log.append(loss.item())
        watch.step()
    return watch.report()
