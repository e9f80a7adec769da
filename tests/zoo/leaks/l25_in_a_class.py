"""A cache detaches what it stores from the scope of the step."""

import garboard as gb

KIND, VERDICT, HOLDER = "scope-escape", "LEAK", "dict `Cache.parts`"


class Cache:
    def __init__(self):
        self.parts = {}

    def compute(self, key):
        with gb.dispose_scope("part") as scope:
            y = gb.randn(8, 4).tanh()  # born
            self.parts[key] = scope.detach(y)  # held


def main(watch):
    cache = Cache()
    for step in range(60):
        cache.compute(step)
        watch.step()
    return watch.report()
