"""Both iterators of itertools.tee are read."""

import itertools

import garboard as gb


def batches():
    while True:
        yield gb.randn(4, 4)


def main(watch):
    train, log = itertools.tee(batches())
    for _ in range(130):
        (next(train) - next(log)).sum()
        watch.step()
    return watch.report()
