"""A metric that joins predictions, and is never reset."""

import garboard as gb

KIND, VERDICT, HOLDER = "growing-tensor", "GROWING", "attribute `Metric.all`"


class Metric:
    def __init__(self):
        self.all = gb.zeros(0)

    def update(self, predictions):
        self.all = gb.cat([self.all, predictions])  # born, held

    def reset(self):
        self.all = gb.zeros(0)


def main(watch):
    metric = Metric()
    for _ in range(4):
        for _ in range(30):
            metric.update(gb.randn(8192))
            watch.step()
        watch.epoch()
    return watch.report()
