"""Functions that keep a tensor each are called once, and taken out again."""

import garboard as gb


class Bus:
    def __init__(self):
        self.listeners = []

    def emit(self):
        for it in list(self.listeners):
            it()


def main(watch):
    bus = Bus()
    for _ in range(100):
        x = gb.randn(4)
        listener = lambda x=x: x.sum()  # noqa: E731
        bus.listeners.append(listener)
        bus.emit()
        bus.listeners.remove(listener)
        watch.step()
    return watch.report()
