"""A console keeps the traceback of its last error in `sys.last_traceback`."""

import sys

import garboard as gb

KIND, VERDICT, HOLDER = "notebook-or-test-traceback", "RETAINED", "local `weights`"


def fail():
    weights = gb.zeros(64, 64)  # born, held
    raise RuntimeError(weights.shape)


def main(watch):
    for step in range(30):
        if step == 8:
            try:
                fail()
            except RuntimeError as error:
                sys.last_traceback = error.__traceback__
        watch.step()
    report = watch.report()
    del sys.last_traceback
    return report
