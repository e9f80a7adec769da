"""The one logger there is gets its dict in `__new__`, and a loss at every step."""

import garboard as gb

KIND, VERDICT, HOLDER = "global-registry", "LEAK", "list `Logger.values['loss']`"
FIX = "self.values.setdefault(name, []).append(value.item())"


class Logger:
    one = None

    def __new__(cls):
        if cls.one is None:
            cls.one = super().__new__(cls)
            cls.one.values = {}
        return cls.one

    def log(self, name, value):
        self.values.setdefault(name, []).append(value)  # held


def main(watch):
    net = gb.nn.Linear(4, 1)
    for _ in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        Logger().log("loss", loss)
        watch.step()
    return watch.report()
