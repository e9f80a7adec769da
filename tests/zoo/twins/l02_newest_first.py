"""A deque with a bound, whose newest item comes first."""

from collections import deque

import garboard as gb


class Smooth:
    def __init__(self):
        self.window = deque(maxlen=16)

    def push(self, x):
        self.window.appendleft(x)


def main(watch):
    smooth = Smooth()
    for _ in range(80):
        smooth.push(gb.randn(4))
        watch.step()
    return watch.report()
