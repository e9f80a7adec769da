"""The class remembers its runs weakly."""

from weakref import WeakSet

import garboard as gb


class Run:
    everyone = WeakSet()  # noqa: RUF012

    def __init__(self):
        self.state = gb.zeros(4, 4)
        Run.everyone.add(self)


def main(watch):
    for _ in range(60):
        Run()
        watch.step()
    return watch.report()
