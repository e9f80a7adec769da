"""A meter of an object keeps targets in a dict by class, and nobody resets it."""

import garboard as gb

KIND, VERDICT, HOLDER = "metric-state", "LEAK", "dict `Confusion.seen`"


class Confusion:
    def __init__(self):
        self.seen = {}

    def update(self, target):
        self.seen[len(self.seen)] = target  # held

    def reset(self):
        self.seen.clear()


def main(watch):
    confusion = Confusion()
    for _ in range(3):
        for _ in range(20):
            confusion.update(gb.randn(8))  # born
            watch.step()
        watch.epoch()
    return watch.report()
