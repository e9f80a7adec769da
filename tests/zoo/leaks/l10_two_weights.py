"""Two weights of one loss, each with a gradient that knows both."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "native-cycle", "CYCLE", "a cycle of tensors and graph nodes"


def step():
    a = gb.randn(1 << 13).requires_grad_()
    b = gb.randn(1 << 13).requires_grad_()
    (a * b).square().sum().backward(create_graph=True)  # born


def main(watch):
    gc.disable()
    try:
        for _ in range(60):
            step()
            watch.step()
        return watch.report()
    finally:
        gc.enable()
        gc.collect()
