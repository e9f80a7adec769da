"""Events with weak observers; batches as objects that come and go."""

import weakref

import garboard as gb


class Event:
    def __init__(self):
        self.observers = weakref.WeakSet()

    def fire(self, x):
        for it in list(self.observers):
            it.see(x)


class Batch:
    made = weakref.WeakValueDictionary()  # noqa: RUF012

    def __init__(self, i, event):
        self.x = gb.randn(4)
        Batch.made[i] = self
        event.observers.add(self)

    def see(self, x):
        self.x = self.x + x


def main(watch):
    event = Event()
    window = []
    for i in range(90):
        window.append(Batch(i, event))
        if len(window) > 3:
            window.pop(0)
        event.fire(gb.ones(4))
        watch.step()
    return watch.report()
