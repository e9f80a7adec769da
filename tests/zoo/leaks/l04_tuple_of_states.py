"""A cell's two states are carried on together."""

import garboard as gb

KIND, VERDICT, HOLDER = "state-carryover", "LEAK", "item `state[1]`"


def cell(w, x, state):
    h, c = state
    c = gb.tanh((x + h) @ w) + c  # born
    return gb.tanh(c), c


def main(watch):
    w = (gb.randn(4, 4) * 0.1).requires_grad_()
    state = (gb.zeros(2, 4), gb.zeros(2, 4))
    for _ in range(60):
        state = cell(w, gb.randn(2, 4), state)
        state[0].square().mean().backward(retain_graph=True)
        w.grad.zero_()
        watch.step()
    return watch.report()
