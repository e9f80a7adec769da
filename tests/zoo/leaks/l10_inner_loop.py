"""Fast weights of an inner loop get gradients that lead back to them."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "native-cycle", "CYCLE", "a cycle of tensors and graph nodes"


class Learner:
    def __init__(self):
        self.slow = gb.randn(1 << 14)

    def adapt(self):
        fast = self.slow.clone().requires_grad_()
        loss = (fast**3).mean()
        loss.backward(create_graph=True)  # born
        return (fast - 0.1 * fast.grad).detach().mean().item()


def main(watch):
    learner = Learner()
    gc.disable()
    try:
        for _ in range(60):
            learner.adapt()
            watch.step()
        return watch.report()
    finally:
        gc.enable()
        gc.collect()
