"""A buffer with the smaller of two bounds."""

import garboard as gb


class Buf:
    def __init__(self, a, b):
        self.rows, self.a, self.b = ([], a, b)

    def add(self, x):
        self.rows.append(x)
        if len(self.rows) > min(self.a, self.b):
            del self.rows[0]


def main(watch):
    b = Buf(190, 300)
    for _ in range(140):
        b.add(gb.randn(3))
        watch.step()
    return watch.report()
