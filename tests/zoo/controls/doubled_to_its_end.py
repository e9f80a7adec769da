"""A table that doubles until it has room for all there are, and then comes round."""

import garboard as gb


class Table:
    def __init__(self, most):
        self.cells, self.used, self.most = [None] * 4, 0, most

    def add(self, row):
        if self.used == len(self.cells) and len(self.cells) < self.most:
            self.cells = self.cells + [None] * len(self.cells)
        self.cells[self.used % len(self.cells)] = row
        self.used += 1


def main(watch):
    table = Table(64)
    for _ in range(180):
        table.add(gb.randn(8))
        watch.step()
    return watch.report()
