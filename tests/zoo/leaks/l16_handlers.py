"""A logger is given a handler at each step, and keeps them all."""

import logging

import garboard as gb

KIND, VERDICT, HOLDER = "global-registry", "GROWING", "list `Logger.handlers`"
FIX = "call log.addHandler() once, before the loop, or log.removeHandler() when it is done"


class Tap(logging.Handler):
    def __init__(self, batch):
        super().__init__()
        self.batch = batch

    def emit(self, record):
        pass


def main(watch):
    log = logging.getLogger("zoo.handlers")
    log.propagate = False
    for _ in range(80):
        batch = gb.randn(4)  # born
        log.addHandler(Tap(batch))  # held
        log.error("a batch")
        watch.step()
    report = watch.report()
    log.handlers.clear()
    return report
