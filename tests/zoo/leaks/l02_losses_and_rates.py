"""One line stores the loss and the learning rate by their names."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Log.rows['loss']`"
FIX = "self.rows[name].append(value.item() if hasattr(value, 'item') else value)"


class Log:
    def __init__(self):
        self.rows = {"loss": [], "lr": []}

    def add(self, **values):
        for name, value in values.items():
            self.rows[name].append(value)  # held


def main(watch):
    net, log = gb.nn.Linear(4, 1), Log()
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        log.add(loss=loss, lr=0.1 / (step + 1))
        watch.step()
    return watch.report()
