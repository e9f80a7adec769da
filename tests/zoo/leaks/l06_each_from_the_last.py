"""The last error is kept, and each is raised from the one before."""

import garboard as gb

KIND, VERDICT, HOLDER = "retained-exception", "LEAK", "ValueError `last`"


def attempt(last):
    x = gb.randn(4)  # born
    raise ValueError(str(x.shape)) from last


def main(watch):
    last = None
    for _ in range(60):
        try:
            attempt(last)
        except ValueError as error:
            last = error  # held
        watch.step()
    return watch.report()
