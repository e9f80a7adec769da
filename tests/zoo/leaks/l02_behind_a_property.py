"""A list is filled through the property that gives it."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Log._rows`"
FIX = "log.rows.append(loss.item())"


class Log:
    def __init__(self):
        self._rows = []

    @property
    def rows(self):
        return self._rows


def main(watch):
    net, log = gb.nn.Linear(4, 1), Log()
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        log.rows.append(loss)  # held
        watch.step()
    return watch.report()
