"""One line stores the loss and the learning rate, both as numbers."""

import garboard as gb


class Log:
    def __init__(self):
        self.rows = {"loss": [], "lr": []}

    def add(self, **values):
        for name, value in values.items():
            self.rows[name].append(float(value))


def main(watch):
    net, log = gb.nn.Linear(4, 1), Log()
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()
        loss.backward()
        log.add(loss=loss, lr=0.1 / (step + 1))
        watch.step()
    return watch.report()
