"""Dicts in a ring are written over by update()."""

import garboard as gb


class Ring:
    def __init__(self, most):
        self.slots = [dict() for _ in range(most)]
        self.at = 0

    def write(self, **values):
        slot = self.slots[self.at]
        slot.update(values)
        self.at += 1
        if self.at == len(self.slots):
            self.at = 0


def main(watch):
    ring = Ring(30)
    for _ in range(130):
        ring.write(state=gb.randn(4), reward=gb.randn(()))
        watch.step()
    return watch.report()
