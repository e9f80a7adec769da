"""One statement appends numbers to three lists."""

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 1)
    losses, twice, more = [], [], []
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean().item()
        losses.append(loss), twice.append(loss * 2), more.append(loss + 1)
        watch.step()
    return watch.report()
