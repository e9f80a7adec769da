"""A forward hook stores the last activation of each layer."""

import garboard as gb


def register(layer):
    acts = {}

    def keep(module, args, output):
        acts[id(module)] = output

    layer.register_forward_hook(keep)


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU())
    register(net[0])
    for _ in range(60):
        net(gb.randn(8, 4)).square().mean().backward()
        watch.step()
    return watch.report()
