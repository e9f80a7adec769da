"""A penalty on gradients is computed by backward(create_graph=True) on fresh weights."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "native-cycle", "CYCLE", "a cycle of tensors and graph nodes"


def penalty(x):
    w = gb.randn(1 << 14).requires_grad_()
    (w * x).square().sum().backward(create_graph=True)  # born
    return w.grad.detach().square().sum().item()


def main(watch):
    x = gb.randn(1 << 14)
    gc.disable()
    try:
        for _ in range(60):
            penalty(x)
            watch.step()
        return watch.report()
    finally:
        gc.enable()
        gc.collect()
