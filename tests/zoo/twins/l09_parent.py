"""A block knows its parent weakly."""

import gc
from weakref import ref

import garboard as gb


class Block:
    def __init__(self, parent):
        self.parent = ref(parent)
        self.table = gb.zeros(1 << 18)


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
