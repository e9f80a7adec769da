"""A mapping with a private dict, and a capacity that is not reached yet."""

from collections.abc import MutableMapping

import garboard as gb


class Cache(MutableMapping[int, gb.Tensor]):
    def __init__(self, maxsize):
        self.__maxsize, self.__data = maxsize, {}

    def __getitem__(self, k):
        return self.__data[k]

    def __setitem__(self, k, v):
        while len(self.__data) >= self.__maxsize:
            self.popitem()
        self.__data[k] = v

    def __delitem__(self, k):
        del self.__data[k]

    def __iter__(self):
        return iter(self.__data)

    def __len__(self):
        return len(self.__data)

    def popitem(self):
        k = next(iter(self.__data))
        return k, self.__data.pop(k)


def main(watch):
    cache = Cache(300)
    for n in range(200):
        cache[n] = gb.randn(3)
        watch.step()
    return watch.report()
