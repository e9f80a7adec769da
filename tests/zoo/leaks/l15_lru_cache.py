"""A cache without bound gets a new key in every step."""

from functools import cache

import garboard as gb

KIND, VERDICT, HOLDER = "lru-cache", "LEAK", "lru_cache `mask`"
FIX = "give the cache a maxsize, for instance @lru_cache(maxsize=32)"


@cache  # held
def mask(n, step):
    return gb.zeros(n, n)  # born


def main(watch):
    for step in range(60):
        mask(8, step)
        watch.step()
    return watch.report()
