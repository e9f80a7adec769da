"""The keys of a cache that no request ends."""

import garboard as gb

KIND, VERDICT, HOLDER = "growing-tensor", "GROWING", "attribute `Cache.keys`"


class Cache:
    def __init__(self):
        self.keys = gb.zeros(1, 256)

    def add(self, key):
        self.keys = gb.cat([self.keys, key])  # born, held


def main(watch):
    cache = Cache()
    for _ in range(120):
        cache.add(gb.randn(16, 256))
        watch.step()
    return watch.report()
