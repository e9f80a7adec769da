"""The handler keeps texts."""

import logging

import garboard as gb


class Keeping(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(self.format(record))


def fail():
    activation = gb.zeros(100)
    raise ValueError(activation.shape)


def main(watch):
    log, handler = logging.getLogger("zoo"), Keeping()
    log.addHandler(handler)
    log.propagate = False
    try:
        for _ in range(60):
            try:
                fail()
            except ValueError:
                log.exception("a step has failed")
            watch.step()
        return watch.report()
    finally:
        log.removeHandler(handler)
        log.propagate = True
        handler.records.clear()
