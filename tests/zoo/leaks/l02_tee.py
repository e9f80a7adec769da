"""Of two iterators of itertools.tee one is never read: it keeps what the other has read."""

import itertools

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "_tee `log`"
FIX = "read log as far as its twin: what lies between them is kept"


def batches():
    while True:
        yield gb.randn(4, 4)  # born


def main(watch):
    train, log = itertools.tee(batches())  # held
    for _ in range(70):
        next(train).sum()
        watch.step()
    assert log is not None
    return watch.report()
