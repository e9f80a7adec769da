"""Each member keeps the last output."""

import enum

import garboard as gb


class Phase(enum.Enum):
    TRAIN, EVAL = range(2)

    def __init__(self, _):
        self.output: gb.Tensor | None = None


phase = Phase.TRAIN


def main(watch):
    global phase
    for step in range(130):
        phase = Phase.EVAL if step % 2 else Phase.TRAIN
        phase.output = gb.randn(2, 3)
        watch.step()
    return watch.report()
