"""The cache has a bound."""

from functools import lru_cache

import garboard as gb


@lru_cache(maxsize=8)
def positions(length, offset):
    return gb.arange(length) + offset


def main(watch):
    for offset in range(60):
        positions(16, offset)
        watch.step()
    report = watch.report()
    positions.cache_clear()
    return report
