"""Generators that are closed after their first half."""

import garboard as gb

begun = []


def halves():
    whole = gb.randn(4)
    yield whole[:2]
    yield whole[2:]


def main(watch):
    for _ in range(60):
        both = halves()
        next(both)
        begun.append(both)
        both.close()
        watch.step()
    return watch.report()
