"""A hook captures the module it is on; each fold drops its module."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "py-cycle", "CYCLE", ""


def fold():
    net = gb.nn.Linear(200, 200)  # born
    net.register_forward_hook(lambda module, args, output: net.weight.sum())
    return net(gb.randn(2, 200)).sum().item()


def main(watch):
    gc.disable()
    try:
        for _ in range(30):
            fold()
            watch.step()
        return watch.report()
    finally:
        gc.enable()
