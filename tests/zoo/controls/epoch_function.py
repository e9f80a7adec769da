"""Each epoch's losses are in a list of that epoch's function; its mean is logged."""

import garboard as gb


def epoch(watch, net):
    losses = []
    for _ in range(80):
        losses.append(net(gb.randn(8, 4)).square().mean().detach())
        watch.step()
    return gb.stack(losses).mean().item()


def main(watch):
    net = gb.nn.Linear(4, 2)
    log = []
    for _ in range(2):
        log.append(epoch(watch, net))
    return watch.report()
