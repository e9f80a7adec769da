"""A copy of the row is kept."""

import garboard as gb


def main(watch):
    keep = []
    for i in range(30):
        if i == 5:
            x = gb.zeros(1000, 1000)
            keep.append(x[0].clone())
            del x
        watch.step()
    return watch.report()
