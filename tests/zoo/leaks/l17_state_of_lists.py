"""A metric whose state is a dict of lists, and which is never reset."""

import garboard as gb

KIND, VERDICT, HOLDER = "metric-state", "LEAK", "list `Metric.state['targets']` and 1 more of"


class Metric:
    def __init__(self):
        self.state = {"predictions": [], "targets": []}

    def update(self, **batch):
        for name, value in batch.items():
            self.state[name].append(value.clone())  # born, held

    def reset(self):
        self.state = {"predictions": [], "targets": []}


def main(watch):
    metric = Metric()
    for _ in range(4):
        for _ in range(15):
            metric.update(predictions=gb.randn(4), targets=gb.randn(4))
            watch.step()
        watch.epoch()
    return watch.report()
