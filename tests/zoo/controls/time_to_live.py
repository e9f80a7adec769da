"""A cache whose entries end after 25 steps, by stamps in a dict beside it."""

import garboard as gb


class Ttl:
    def __init__(self, life):
        self.life, self.stamps, self.values = life, {}, {}

    def put(self, now, key, value):
        for old in [k for k, t in self.stamps.items() if t + self.life < now]:
            del self.stamps[old], self.values[old]
        self.stamps[key], self.values[key] = now, value


def main(watch):
    cache = Ttl(25)
    for step in range(130):
        cache.put(step, f"k{step}", gb.randn(4))
        watch.step()
    return watch.report()
