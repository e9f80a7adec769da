"""The last traceback is of an error that keeps nothing."""

import sys

import garboard as gb


def fail():
    weights = gb.zeros(64, 64)
    raise RuntimeError(weights.shape)


def main(watch):
    for step in range(30):
        if step == 8:
            try:
                fail()
            except RuntimeError:
                sys.last_traceback = None
        watch.step()
    report = watch.report()
    del sys.last_traceback
    return report
