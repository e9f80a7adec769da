"""A buffer whose class says how long it is, and is asked that before it lets go."""

import garboard as gb


class Buf:
    def __init__(self, n):
        self.n, self.rows = (n, [])

    def __len__(self):
        return len(self.rows)

    def add(self, x):
        self.rows.append(x)
        if len(self) > self.n:
            self.rows.pop(0)


def main(watch):
    b = Buf(260)
    for _ in range(180):
        b.add(gb.randn(3))
        watch.step()
    return watch.report()
