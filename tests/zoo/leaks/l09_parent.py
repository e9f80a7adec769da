"""A block knows its parent, and the parent its blocks."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "py-cycle", "CYCLE", ""


class Block:
    def __init__(self, parent):
        self.parent = parent
        self.table = gb.zeros(1 << 18)  # born


class Trunk:
    def __init__(self):
        self.block = Block(self)


def main(watch):
    gc.disable()
    try:
        for _ in range(30):
            Trunk()
            watch.step()
        return watch.report()
    finally:
        gc.enable()
