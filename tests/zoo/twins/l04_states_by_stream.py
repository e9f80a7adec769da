"""States of streams lie in a dict, as values."""

import garboard as gb


def main(watch):
    cell, states = gb.nn.GRUCell(4, 8), {0: gb.zeros(2, 8)}
    for _ in range(60):
        h = cell(gb.randn(2, 4), states[0])
        states[0] = h.detach()
        watch.step()
    return watch.report()
