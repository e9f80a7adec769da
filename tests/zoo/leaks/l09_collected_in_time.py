"""Two objects refer to each other, and the collector comes every few steps."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "py-cycle", "CYCLE", "Learner object"


class Learner:
    def __init__(self):
        self.buffer = gb.zeros(1 << 17)  # born
        self.callback = Callback(self)


class Callback:
    def __init__(self, learner):
        self.learner = learner


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
