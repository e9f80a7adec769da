"""Notes by weak keys, and the keys lie in a list that is not yet as long as it may be."""

import weakref

import garboard as gb


class Req:
    pass


def main(watch):
    net = gb.nn.Linear(4, 6)
    marks, recent = weakref.WeakKeyDictionary(), []
    for _ in range(200):
        req = Req()
        marks[req] = net(gb.randn(2, 4)).detach()
        recent.append(req)
        if len(recent) > 250:
            recent.pop(0)
        watch.step()
    return watch.report()
