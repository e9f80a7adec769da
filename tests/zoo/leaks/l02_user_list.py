"""A history of the library's class keeps its items in `data`, as another class does its own."""

from collections import UserList

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "UserList `history`"


class Pool:
    def __init__(self):
        self.data = []

    def put(self, x):
        self.data.append(x)

    def flush(self):
        self.data.clear()


def main(watch):
    history, pool = UserList(), Pool()
    for _ in range(80):
        pool.put(gb.randn(4))
        history.append(gb.randn(4))  # born, held
        pool.flush()
        watch.step()
    return watch.report()
