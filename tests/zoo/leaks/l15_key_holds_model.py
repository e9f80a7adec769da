"""A cached function keeps the models it is called with, one for each fold."""

from functools import cache

import garboard as gb

KIND, VERDICT, HOLDER = "lru-cache", "LEAK", "lru_cache `size_of`"


@cache  # held
def size_of(net):
    return sum(it.numel() for it in net.parameters())


def main(watch):
    for _ in range(60):
        size_of(gb.nn.Linear(4, 2))  # born
        watch.step()
    report = watch.report()
    size_of.cache_clear()
    return report
