"""The same history, of which the last twenty are kept."""

from collections import UserList

import garboard as gb


def main(watch):
    history = UserList()
    for _ in range(80):
        history.append(gb.randn(4))
        if len(history) > 20:
            history.pop(0)
        watch.step()
    return watch.report()
