"""One optimizer, made anew now and then."""

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 2)
    for step in range(60):
        if step % 5 == 0:
            opt = gb.optim.Adam(net.parameters())
        net(gb.randn(8, 4)).square().mean().backward()
        opt.step()
        watch.step()
    return watch.report()
