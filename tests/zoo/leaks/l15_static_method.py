"""A static method with a cache that has no bound."""

from functools import cache

import garboard as gb

KIND, VERDICT, HOLDER = "lru-cache", "LEAK", "lru_cache `Ramp.at`"


class Ramp:
    @staticmethod  # held
    @cache
    def at(t):
        return gb.full((8,), t)  # born


def main(watch):
    for step in range(60):
        Ramp.at(step / 60)
        watch.step()
    return watch.report()
