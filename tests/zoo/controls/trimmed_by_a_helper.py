"""A list that a function trims, which is given it and the most items."""

import garboard as gb

CAP = 260


def trim(rows, most):
    while len(rows) > most:
        rows.pop(0)


def main(watch):
    rows = []
    for _ in range(200):
        rows.append(gb.randn(4))
        trim(rows, CAP)
        watch.step()
    return watch.report()
