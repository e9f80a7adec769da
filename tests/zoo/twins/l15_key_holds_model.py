"""The cache knows eight models at most."""

from functools import lru_cache

import garboard as gb


@lru_cache(maxsize=8)
def size_of(net):
    return sum(it.numel() for it in net.parameters())


def main(watch):
    for _ in range(60):
        size_of(gb.nn.Linear(4, 2))
        watch.step()
    report = watch.report()
    size_of.cache_clear()
    return report
