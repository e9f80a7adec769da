"""The hook asks the module that it is given."""

import gc

import garboard as gb


def fold():
    net = gb.nn.Linear(200, 200)
    net.register_forward_hook(lambda module, args, output: module.weight.sum())
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
