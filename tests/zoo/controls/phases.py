"""Training and evaluation by turns; the first evaluation makes its buffers."""

import garboard as gb

buffers = []


def main(watch):
    net = gb.nn.Linear(4, 2)
    for epoch in range(4):
        for _ in range(20):
            net(gb.randn(8, 4)).square().mean().backward()
            watch.step()
        with watch.phase("eval"), gb.no_grad():
            if epoch == 0:
                buffers.extend(gb.zeros(8, 2) for _ in range(10))
            for _ in range(5):
                net(gb.randn(8, 4))
                watch.step()
        watch.epoch()
    return watch.report()
