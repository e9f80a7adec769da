"""Nobody says when an epoch ends, so the metric may yet be reset."""

import garboard as gb

KIND, VERDICT, HOLDER = "metric-state", "GROWING", "list `Curve.points`"


class Curve:
    def __init__(self):
        self.points = []

    def update(self, value):
        self.points.append(value)  # held

    def reset(self):
        self.points = []


def main(watch):
    curve = Curve()
    for _ in range(60):
        curve.update(gb.randn(8, 4).mean(0))  # born
        watch.step()
    return watch.report()
