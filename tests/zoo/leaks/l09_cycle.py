"""Each probe refers to itself by its callback: only the cyclic collector ends its buffer."""

import gc

import garboard as gb

KIND, VERDICT, HOLDER = "py-cycle", "CYCLE", "Probe object"
FIX = "break the cycle in a close(), or hold one side by weakref (WeakMethod for a method)"


class Probe:
    def __init__(self):
        self.buf = gb.zeros(1 << 18)  # born
        self.cb = lambda *_: self.buf  # held


def main(watch):
    gc.disable()
    try:
        for _ in range(30):
            Probe()
            watch.step()
        return watch.report()
    finally:
        gc.enable()
