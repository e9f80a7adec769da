"""A forward hook stores every activation."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-capture", "LEAK", "closure variable, list `acts`"


def register(layer):
    acts = []

    def keep(module, args, output):
        acts.append(output)  # held

    layer.register_forward_hook(keep)


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU())
    register(net[0])
    for _ in range(60):
        net(gb.randn(8, 4)).square().mean().backward()  # born
        watch.step()
    return watch.report()
