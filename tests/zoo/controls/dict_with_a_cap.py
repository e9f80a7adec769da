"""A class made of dict that takes its oldest item out above a capacity."""

import garboard as gb


class LRU(dict[int, gb.Tensor]):
    def __init__(self, most):
        super().__init__()
        self.most = most

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        if len(self) > self.most:
            del self[next(iter(self))]


def main(watch):
    cache = LRU(300)
    for n in range(200):
        cache[n] = gb.randn(4)
        watch.step()
    return watch.report()
