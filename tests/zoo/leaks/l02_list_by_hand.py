"""A list by hand, of objects that refer to the one before, over more than a hundred steps."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "Cell `first`"


class Cell:
    def __init__(self, value, rest):
        self.value, self.rest = value, rest


def main(watch):
    first = None
    for _ in range(120):
        first = Cell(gb.randn(4), first)  # born, held
        watch.step()
    return watch.report()
