"""The texts of errors are kept by their types."""

from collections import defaultdict

import garboard as gb


def fail(x):
    y = x * 2
    raise ValueError(y.shape)


def main(watch):
    errors = defaultdict(list)
    for _ in range(80):
        try:
            fail(gb.randn(4))
        except ValueError as e:
            errors[type(e).__name__].append(repr(e))
        watch.step()
    return watch.report()
