"""A row of every batch is kept."""

import garboard as gb

KIND, VERDICT, HOLDER = "view-pins-storage", "LEAK", "list `keep`"
FIX = "keep.append(x[0].clone()); del keep[:-32]"


def main(watch):
    keep = []
    for _ in range(60):
        x = gb.zeros(100, 100)
        keep.append(x[0])  # born, held
        watch.step()
    return watch.report()
