"""A hook stores each output under a new key."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-capture", "LEAK", "closure variable, dict `outputs`"


def record(net):
    outputs = {}

    def keep(module, args, output):
        outputs[len(outputs)] = output.detach()  # held, born

    net.register_forward_hook(keep)


def main(watch):
    net = gb.nn.Linear(4, 2)
    record(net)
    for _ in range(60):
        net(gb.randn(8, 4)).square().mean().backward()
        watch.step()
    return watch.report()
