"""A run's metrics are numbers."""

import garboard as gb


class Run:
    def __init__(self):
        self.metrics = {}

    def log(self, step, loss, hits):
        self.metrics.update({(step, "loss"): loss, (step, "hits"): hits, (step, "rate"): 0.1})


def main(watch):
    net, run = gb.nn.Linear(4, 2), Run()
    for step in range(60):
        out = net(gb.randn(8, 4))
        loss = out.square().mean()
        hits = (out * 2).mean()
        loss.backward()
        run.log(step, loss.item(), hits.item())
        watch.step()
    return watch.report()
