"""A method is cached with a bound; each fold's net stays in a key."""

from functools import lru_cache

import garboard as gb

KIND, VERDICT, HOLDER = "lru-cache", "LEAK", "lru_cache `Net.rope`"
FIX = "use cached_property, or a cache that is the instance's: the key keeps each `self`"


class Net(gb.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = gb.nn.Linear(4, 4)

    @lru_cache(maxsize=128)  # noqa: B019  # held
    def rope(self, n):
        return gb.ones(n)  # born


def main(watch):
    Net.rope.cache_clear()
    for _ in range(60):
        net = Net()
        net.fc(net.rope(4)).sum().item()
        watch.step()
    return watch.report()
