"""A table makes its places anew, twice as many, whenever they are full: they are no bound."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "list `Table.cells`"
FIX = "let the index into self.cells come round, for instance by % len(self.cells)"


class Table:
    def __init__(self):
        self.cells, self.used = [None] * 4, 0

    def add(self, row):
        if self.used == len(self.cells):
            self.cells = self.cells + [None] * len(self.cells)
        self.cells[self.used] = row  # held
        self.used += 1


def main(watch):
    table = Table()
    for _ in range(130):
        table.add(gb.randn(8))  # born
        watch.step()
    return watch.report()
