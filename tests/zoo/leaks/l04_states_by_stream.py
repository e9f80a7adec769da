"""States of streams lie in a dict, each with the graph of all that its stream ever read."""

import garboard as gb

KIND, VERDICT, HOLDER = "state-carryover", "LEAK", "item `states[0]`"
FIX = "states[0] = h.detach()"


def main(watch):
    cell, states = gb.nn.GRUCell(4, 8), {0: gb.zeros(2, 8)}
    for _ in range(60):
        h = cell(gb.randn(2, 4), states[0])  # born
        states[0] = h  # held
        watch.step()
    return watch.report()
