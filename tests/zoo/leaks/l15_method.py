"""A cache on a method keeps every model it was called on."""

from functools import lru_cache

import garboard as gb

KIND, VERDICT, HOLDER = "lru-cache", "LEAK", "lru_cache `Model.mask`"


class Model:
    @lru_cache(None)  # noqa: B019  # held
    def mask(self, n):
        return gb.ones(n, n)  # born


def main(watch):
    for _ in range(60):
        Model().mask(4)
        watch.step()
    return watch.report()
