"""Every step's hook captures that step's batch: hooks pile up, and the batches with them."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-accumulation", "LEAK", "HookTable `Linear._forward_hooks`"


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 2))
    for _ in range(60):
        x = gb.randn(8, 4)
        net[0].register_forward_hook(lambda module, args, output, x=x: None)  # born
        net(x).square().mean().backward()
        watch.step()
    return watch.report()
