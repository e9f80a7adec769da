"""The callback holds its learner weakly."""

import gc
from weakref import ref

import garboard as gb


class Learner:
    def __init__(self):
        self.buffer = gb.zeros(1 << 17)
        self.callback = Callback(self)


class Callback:
    def __init__(self, learner):
        self.learner = ref(learner)


def main(watch):
    gc.disable()
    try:
        for step in range(60):
            Learner()
            if step % 5 == 4:
                gc.collect()
            watch.step()
        return watch.report()
    finally:
        gc.enable()
