"""A cache of positions by length and step: the second argument never comes again."""

from functools import cache

import garboard as gb

KIND, VERDICT, HOLDER = "lru-cache", "LEAK", "lru_cache `positions`"


@cache  # held
def positions(length, offset):
    return gb.arange(length) + offset  # born


def main(watch):
    for offset in range(60):
        positions(16, offset)
        watch.step()
    report = watch.report()
    positions.cache_clear()
    return report
