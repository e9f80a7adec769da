"""Layers of one net share a bounded cache of a method, which fills."""

from functools import lru_cache

import garboard as gb


class Layer:
    @lru_cache(maxsize=512)  # noqa: B019
    def mask(self, n):
        return gb.ones(n)


def main(watch):
    Layer.mask.cache_clear()
    layers = [Layer() for _ in range(4)]
    for step in range(110):
        for layer in layers:
            layer.mask(1 + step).sum().item()
        watch.step()
    return watch.report()
