"""A cache that sums its bytes, and lets the oldest go above some."""

import garboard as gb


class Cache:
    def __init__(self, most_bytes):
        self.most_bytes, self.bytes, self.entries = most_bytes, 0, {}

    def put(self, key, value):
        self.entries[key] = value
        self.bytes += value.numel() * 4
        while self.bytes > self.most_bytes:
            old = self.entries.pop(next(iter(self.entries)))
            self.bytes -= old.numel() * 4


def main(watch):
    cache = Cache(300 * 16)
    for n in range(200):
        cache.put(n, gb.randn(4))
        watch.step()
    return watch.report()
