"""Lengths are rounded up to eight."""

import garboard as gb


class Attention:
    def __init__(self):
        self.masks = {}

    def mask(self, length):
        length = min(-(-length // 8) * 8, 32)
        if length not in self.masks:
            self.masks[length] = gb.ones(length, length)
        return self.masks[length]


def main(watch):
    attention = Attention()
    for step in range(70):
        attention.mask(step + 1)
        watch.step()
    return watch.report()
