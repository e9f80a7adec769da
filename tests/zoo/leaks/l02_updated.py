"""A run's metrics are updated with a loss, an accuracy and a learning rate of each step."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "dict `Run.metrics`"
FIX = "self.metrics.update({(n, 'loss'): loss.item(), (n, 'hits'): hits.item(), (n, 'rate'): 0.1})"


class Run:
    def __init__(self):
        self.metrics = {}

    def log(self, n, loss, hits):
        self.metrics.update({(n, "loss"): loss, (n, "hits"): hits, (n, "rate"): 0.1})  # held


def main(watch):
    net, run = gb.nn.Linear(4, 2), Run()
    for step in range(60):
        out = net(gb.randn(8, 4))
        loss = out.square().mean()
        hits = (out * 2).mean()  # born
        loss.backward()
        run.log(step, loss, hits)
        watch.step()
    return watch.report()
