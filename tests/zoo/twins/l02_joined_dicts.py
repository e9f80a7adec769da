"""A log is joined with numbers of each step."""

import garboard as gb


def main(watch):
    net, log = gb.nn.Linear(4, 1), {}
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()
        loss.backward()
        log |= {f"loss/{step}": loss.item()}
        watch.step()
    return watch.report()
