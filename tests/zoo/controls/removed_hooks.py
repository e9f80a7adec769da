"""Hooks come and go with each step, by handles."""

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 2)
    w = gb.ones(4, requires_grad=True)
    for _ in range(60):
        handles = [
            net.register_forward_hook(lambda module, args, output: None),
            w.register_hook(lambda gradient: gradient),
        ]
        (net(gb.randn(8, 4)).mean() + w.sum()).backward()
        for handle in handles:
            handle.remove()
        watch.step()
    return watch.report()
