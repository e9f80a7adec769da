"""The curve is reset every ten steps."""

import garboard as gb


class Curve:
    def __init__(self):
        self.points = []

    def update(self, value):
        self.points.append(value)

    def reset(self):
        self.points = []


def main(watch):
    curve = Curve()
    for step in range(60):
        if step % 10 == 0:
            curve.reset()
        curve.update(gb.randn(8, 4).mean(0))
        watch.step()
    return watch.report()
