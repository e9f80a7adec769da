"""The hook is registered once."""

import garboard as gb


def main(watch):
    w = gb.randn(4).requires_grad_()
    w.register_hook(lambda gradient: gradient * 0.5)
    for _ in range(60):
        (w * 2).sum().backward()
        watch.step()
    return watch.report()
