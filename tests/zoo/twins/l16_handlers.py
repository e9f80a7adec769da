"""A logger is given a handler at each step, and lets go of it again."""

import logging

import garboard as gb


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
        tap = Tap(gb.randn(4))
        log.addHandler(tap)
        log.error("a batch")
        log.removeHandler(tap)
        watch.step()
    return watch.report()
