"""The callback holds its probe weakly."""

import gc
from weakref import ref

import garboard as gb


class Probe:
    def __init__(self):
        me = ref(self)
        self.buf = gb.zeros(1 << 18)
        self.cb = lambda *_: me().buf


def main(watch):
    gc.disable()
    try:
        for _ in range(30):
            Probe()
            watch.step()
        return watch.report()
    finally:
        gc.enable()
