"""A dict by addresses, from which the callbacks of weak references take entries."""

import weakref
from functools import partial

import garboard as gb


class Obj:
    pass


class Side:
    def __init__(self):
        self.data, self.refs = ({}, {})

    def set(self, o, v):
        k = id(o)
        self.data[k] = v
        self.refs[k] = weakref.ref(o, partial(self.drop, k))

    def drop(self, k, _reference):
        self.data.pop(k, None)
        self.refs.pop(k, None)


def main(watch):
    s, live = (Side(), [])
    for _ in range(140):
        o = Obj()
        s.set(o, gb.randn(3))
        live.append(o)
        if len(live) > 160:
            live.pop(0)
        watch.step()
    return watch.report()
