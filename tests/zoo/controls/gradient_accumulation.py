"""Eight small batches are summed before each backward, a step each."""

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 1)
    opt = gb.optim.SGD(net.parameters(), lr=1e-2)
    total = 0
    for step in range(96):
        total = total + net(gb.randn(8, 4)).square().mean() / 8
        if step % 8 == 7:
            total.backward()
            opt.step()
            opt.zero_grad()
            total = 0
        watch.step()
    return watch.report()
