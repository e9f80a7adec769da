"""A replay of a million items that lets go of the oldest, and a log that each epoch flushes."""

import garboard as gb


class Replay:
    def __init__(self, most):
        self.rows, self.most = {}, most

    def push(self, key, row):
        self.rows[key] = row
        if len(self.rows) > self.most:
            self.rows.pop(next(iter(self.rows)))


class Log:
    def __init__(self, every=1 << 20):
        self.rows, self.every = [], every

    def add(self, value):
        self.rows.append(value)
        if len(self.rows) >= self.every:
            self.flush()

    def flush(self):
        self.rows = []


def main(watch):
    replay, log = Replay(10**6), Log()
    for epoch in range(3):
        for step in range(45):
            replay.push((epoch, step), gb.randn(8))
            log.add(gb.randn(()))
            watch.step()
        log.flush()
    return watch.report()
