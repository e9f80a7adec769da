"""A decorator that remembers as many results as it was given."""

import functools
from collections import OrderedDict

import garboard as gb


def memo(maxsize):

    def wrap(fn):
        cache = OrderedDict()

        @functools.wraps(fn)
        def inner(key):
            if key in cache:
                cache.move_to_end(key)
                return cache[key]
            value = cache[key] = fn(key)
            if len(cache) > maxsize:
                cache.popitem(last=False)
            return value

        return inner

    return wrap


@memo(maxsize=256)
def table(n):
    return gb.ones(8) * n


def main(watch):
    for n in range(180):
        table(n)
        watch.step()
    return watch.report()
