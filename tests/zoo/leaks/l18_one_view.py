"""A row of a large tensor is kept, and the large tensor with it."""

import garboard as gb

KIND, VERDICT, HOLDER = "view-pins-storage", "PINNED", "list `keep`"
FIX = "keep.append(x[0].clone())"


def load():
    return gb.zeros(1000, 1000)


def main(watch):
    keep = []
    for i in range(30):
        if i == 5:
            x = load()
            keep.append(x[0])  # born, held
            del x
        watch.step()
    return watch.report()
