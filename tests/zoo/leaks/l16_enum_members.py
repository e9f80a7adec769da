"""Members of an enum have lists of their own, and a variable is one of the members."""

import enum

import garboard as gb

KIND, VERDICT, HOLDER = "global-registry", "LEAK", "list `Phase.outputs`"


class Phase(enum.Enum):
    TRAIN, EVAL = range(2)

    def __init__(self, _):
        self.outputs = []


phase = Phase.TRAIN


def main(watch):
    global phase
    for step in range(130):
        phase = Phase.EVAL if step % 2 else Phase.TRAIN
        out = gb.randn(2, 3)  # born
        phase.outputs.append(out)  # held
        watch.step()
    return watch.report()
