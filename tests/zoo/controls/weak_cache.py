"""A cache that holds its values weakly."""

import weakref

import garboard as gb


def main(watch):
    cache = weakref.WeakValueDictionary()
    for step in range(60):
        x = gb.randn(8, 4)
        cache[step] = x
        watch.step()
    return watch.report()
