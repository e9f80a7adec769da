"""Two networks are trained by turns, as generator and discriminator are."""

import garboard as gb


def main(watch):
    make, judge = gb.nn.Linear(4, 4), gb.nn.Linear(4, 1)
    opts = [gb.optim.Adam(net.parameters()) for net in (make, judge)]
    for _ in range(60):
        fake = make(gb.randn(8, 4))
        for opt, x in zip(opts[::-1], (fake.detach(), fake), strict=True):
            opt.zero_grad()
            judge(x).mean().backward()
            opt.step()
        watch.step()
    return watch.report()
