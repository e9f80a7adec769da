"""The part ends with its scope; a number is kept."""

import garboard as gb


class Cache:
    def __init__(self):
        self.parts = {}

    def compute(self, key):
        with gb.dispose_scope("part"):
            y = gb.randn(8, 4).tanh()
            self.parts[key] = y.mean().item()


def main(watch):
    cache = Cache()
    for step in range(60):
        cache.compute(step)
        watch.step()
    return watch.report()
