"""A log handler of the program's own keeps records, and they the tensors they were to show."""

import logging

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Keeping.records`"
FIX = "store record.getMessage(), a text: a record keeps the arguments it was given"


class Keeping(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)  # held


def main(watch):
    log, net = logging.Logger("zoo"), gb.nn.Linear(4, 1)
    log.addHandler(Keeping())
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        loss.backward()
        log.info("step %d: %s", step, loss)
        watch.step()
    return watch.report()
