"""A dict that is written at a cursor, which comes round after many steps."""

import garboard as gb


class Ring:
    def __init__(self, size):
        self.size, self.at = size, 0
        self.items = {}

    def push(self, item):
        self.items[self.at] = item
        self.at = (self.at + 1) % self.size


def main(watch):
    ring = Ring(150)
    for _ in range(320):
        ring.push(gb.randn(3))
        watch.step()
    return watch.report()
