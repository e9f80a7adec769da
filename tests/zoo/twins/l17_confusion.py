"""The meter is reset at the end of each epoch."""

import garboard as gb


class Confusion:
    def __init__(self):
        self.seen = {}

    def update(self, target):
        self.seen[len(self.seen)] = target

    def reset(self):
        self.seen.clear()


def main(watch):
    confusion = Confusion()
    for _ in range(3):
        for _ in range(20):
            confusion.update(gb.randn(8))
            watch.step()
        confusion.reset()
        watch.epoch()
    return watch.report()
