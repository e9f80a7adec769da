"""The keys of a cache, as many as a window has."""

import garboard as gb


class Cache:
    def __init__(self):
        self.keys = gb.zeros(1, 256)

    def add(self, key):
        self.keys = gb.cat([self.keys, key])[-100:]


def main(watch):
    cache = Cache()
    for _ in range(120):
        cache.add(gb.randn(16, 256))
        watch.step()
    return watch.report()
