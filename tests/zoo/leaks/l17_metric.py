"""A metric collects predictions and is never reset."""

import garboard as gb

KIND, VERDICT, HOLDER = "metric-state", "LEAK", "list `Metric.preds`"
FIX = "call Metric.reset() at the end of each epoch"


class Metric:
    def __init__(self):
        self.preds = []

    def update(self, preds):
        self.preds.append(preds)  # held

    def reset(self):
        self.preds.clear()


def main(watch):
    metric = Metric()
    for _ in range(3):
        for _ in range(20):
            metric.update(gb.randn(8, 4))  # born
            watch.step()
        watch.epoch()
    return watch.report()
