"""A table that asserts before each row that there is room."""

import garboard as gb


class Fixed:
    def __init__(self, n):
        self.n, self.rows = (n, [])

    def add(self, x):
        assert len(self.rows) < self.n
        self.rows.append(x)


def main(watch):
    f = Fixed(150)
    for _ in range(140):
        f.add(gb.randn(3))
        watch.step()
    return watch.report()
