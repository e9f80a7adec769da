"""A forward hook stores every activation in a global list."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-capture", "LEAK", "list `acts`"

acts = []


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU())
    net[0].register_forward_hook(lambda module, args, output: acts.append(output))  # held
    for _ in range(60):
        net(gb.randn(8, 4)).square().mean().backward()  # born
        watch.step()
    return watch.report()
