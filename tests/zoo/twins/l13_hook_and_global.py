"""The hook stores means as numbers."""

import garboard as gb

acts = []


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.ReLU())
    net[0].register_forward_hook(lambda module, args, output: acts.append(output.mean().item()))
    for _ in range(60):
        net(gb.randn(8, 4)).square().mean().backward()
        watch.step()
    return watch.report()
