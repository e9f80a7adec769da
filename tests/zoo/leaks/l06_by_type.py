"""Errors are kept by their types: the fix changes what is stored, and not where."""

from collections import defaultdict

import garboard as gb

KIND, VERDICT, HOLDER = "retained-exception", "LEAK", "list `errors['ValueError']`"
FIX = (
    "errors[type(e).__name__].append(repr(e))"
    "  # or call traceback.clear_frames(error.__traceback__)"
)


def fail(x):
    y = x * 2  # born
    raise ValueError(y.shape)


def main(watch):
    errors = defaultdict(list)
    for _ in range(80):
        try:
            fail(gb.randn(4))
        except ValueError as e:
            errors[type(e).__name__].append(e)  # held
        watch.step()
    return watch.report()
