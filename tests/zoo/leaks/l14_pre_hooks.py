"""Every call of fit() registers a hook before the layer, and takes none off."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-accumulation", "LEAK", "HookTable `Linear._forward_pre_hooks`"


def double(module, args):
    return (args[0] * 2,)


def main(watch):
    net = gb.nn.Linear(4, 2)
    for _ in range(60):
        net.register_forward_pre_hook(double)  # born
        net(gb.randn(8, 4) * 1e-30)
        watch.step()
    return watch.report()
