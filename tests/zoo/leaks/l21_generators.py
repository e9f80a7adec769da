"""Generators that are begun and never run to their end."""

import garboard as gb

KIND, VERDICT, HOLDER = "queue-future-async", "LEAK", "list `begun`"

begun = []


def halves():
    whole = gb.randn(4)  # born
    yield whole[:2]
    yield whole[2:]


def main(watch):
    for _ in range(60):
        both = halves()
        next(both)
        begun.append(both)  # held
        watch.step()
    return watch.report()
