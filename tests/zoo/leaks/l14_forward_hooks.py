"""Every step registers the same hook once more."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-accumulation", "LEAK", "HookTable `Linear._forward_hooks`"
FIX = "register it once before the loop, or keep the handle and call handle.remove()"


def main(watch):
    net = gb.nn.Linear(4, 2)
    for _ in range(60):
        net.register_forward_hook(lambda module, args, output: None)  # born
        net(gb.randn(8, 4)).square().mean().backward()
        watch.step()
    return watch.report()
