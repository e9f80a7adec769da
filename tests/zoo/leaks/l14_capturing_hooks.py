"""Every step's hook captures that step's batch: hooks pile up, and the batches with them."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-accumulation", "LEAK", "HookTable `Linear._forward_hooks`"


def capture(x):
    def hook(module, given, output):
        assert len(output) == len(x)

    return hook


def main(watch):
    net = gb.nn.Sequential(gb.nn.Linear(4, 2))
    for _ in range(60):
        x = gb.randn(8, 4)
        net[0].register_forward_hook(capture(x))  # born
        net(x).square().mean().backward()
        watch.step()
    return watch.report()
