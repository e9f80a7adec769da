"""`backward(create_graph=True)` lets each parameter's gradient lead back to the parameter."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "native-cycle", "CYCLE", "a cycle of tensors and graph nodes"


def step():
    w = gb.randn(1 << 14).requires_grad_()
    (w**3).sum().backward(create_graph=True)  # born


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
