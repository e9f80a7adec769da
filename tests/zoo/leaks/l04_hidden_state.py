"""A recurrent state is carried from batch to batch with its whole history."""

import garboard as gb

KIND, VERDICT, HOLDER = "state-carryover", "LEAK", "local `h`"
FIX = "cut the graph after each step: h = h.detach()"


def main(watch):
    w = (gb.randn(4, 4) * 0.1).requires_grad_()
    h = gb.zeros(2, 4)
    for _ in range(60):
        h = gb.tanh((gb.randn(2, 4) + h) @ w)  # born, held
        out = h.square().mean()
        out.backward(retain_graph=True)
        w.grad.zero_()
        watch.step()
    return watch.report()
