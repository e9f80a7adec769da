"""The handler writes out what it has at each error."""

import logging
import logging.handlers

import garboard as gb


def fail():
    batch = gb.zeros(100)
    raise ValueError(batch.shape)


def main(watch):
    log = logging.getLogger("zoo.memory")
    handler = logging.handlers.MemoryHandler(10_000, target=logging.NullHandler())
    log.addHandler(handler)
    log.propagate = False
    try:
        for _ in range(60):
            try:
                fail()
            except ValueError:
                log.exception("a batch has failed")
            watch.step()
        return watch.report()
    finally:
        log.removeHandler(handler)
        log.propagate = True
        handler.buffer.clear()
