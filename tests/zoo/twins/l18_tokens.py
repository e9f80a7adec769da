"""All columns of each batch are kept, as views apart from one another."""

from collections import deque

import garboard as gb


def main(watch):
    columns = deque(maxlen=64)
    for _ in range(60):
        hidden = gb.zeros(16, 32)
        columns.extend(hidden[:, i] for i in range(32))
        watch.step()
    return watch.report()
