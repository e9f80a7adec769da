"""A handler keeps records with their errors, as a test's log capture does."""

import logging

import garboard as gb

KIND, VERDICT, HOLDER = "notebook-or-test-traceback", "LEAK", ""


class Keeping(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)  # held


def fail():
    activation = gb.zeros(100)  # born
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
