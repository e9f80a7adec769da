"""A deque without a bound, whose newest item comes first."""

from collections import deque

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "deque `Smooth.window`"
FIX = (
    "self.window.appendleft(x); len(self.window) > 32 and self.window.pop()"
    "  # or clear it at the end of each epoch"
)


class Smooth:
    def __init__(self):
        self.window = deque()

    def push(self, x):
        self.window.appendleft(x)  # held


def main(watch):
    smooth = Smooth()
    for _ in range(80):
        smooth.push(gb.randn(4))  # born
        watch.step()
    return watch.report()
