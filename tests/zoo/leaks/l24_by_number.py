"""Masks by their length, a plain number, and every text has another one."""

import garboard as gb

KIND, VERDICT, HOLDER = "unbounded-shape-cache", "GROWING", "dict `Attention.masks`"


class Attention:
    def __init__(self):
        self.masks = {}

    def mask(self, length):
        if length not in self.masks:
            self.masks[length] = gb.ones(length, length)  # born, held
        return self.masks[length]


def main(watch):
    attention = Attention()
    for step in range(70):
        attention.mask(step + 1)
        watch.step()
    return watch.report()
