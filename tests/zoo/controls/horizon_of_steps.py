"""A window over time: what is older than some steps goes, and nothing is yet."""

from collections import deque

import garboard as gb


class Window:
    def __init__(self, horizon):
        self.horizon, self.rows = (horizon, deque())

    def add(self, now, x):
        self.rows.append((now, x))
        while self.rows and now - self.rows[0][0] > self.horizon:
            self.rows.popleft()


def main(watch):
    w = Window(250)
    for n in range(180):
        w.add(n, gb.randn(3))
        watch.step()
    return watch.report()
