"""A progress bar keeps the numbers that it has shown."""

import garboard as gb


class Bar:
    def __init__(self):
        self.shown = []

    def set_postfix(self, **values):
        self.shown.append({name: float(value) for name, value in values.items()})


def main(watch):
    net, bar = gb.nn.Linear(4, 1), Bar()
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()
        loss.backward()
        bar.set_postfix(loss=loss, step=step)
        watch.step()
    return watch.report()
