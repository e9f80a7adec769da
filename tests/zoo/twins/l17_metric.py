"""A metric is reset at the end of each epoch."""

import garboard as gb


class Metric:
    def __init__(self):
        self.preds = []

    def update(self, preds):
        self.preds.append(preds)

    def reset(self):
        self.preds.clear()


def main(watch):
    metric = Metric()
    for _ in range(4):
        for _ in range(20):
            metric.update(gb.randn(8, 4))
            watch.step()
        metric.reset()
        watch.epoch()
    return watch.report()
