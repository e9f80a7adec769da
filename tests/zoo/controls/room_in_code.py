"""Buffers that still fill, up to a number that the program compares their length with."""

import random

import garboard as gb


class Pool:
    MOST = 100

    def __init__(self, draw):
        self.levels, self.draw = [], draw

    def offer(self, level):
        if len(self.levels) < self.MOST:
            self.levels.append(level)
        else:
            self.levels[self.draw.randrange(self.MOST)] = level


class Memory:
    def __init__(self, capacity):
        self.capacity = capacity
        self.rows = []

    def is_full(self):
        return len(self.rows) >= self.capacity

    def push(self, row):
        if self.is_full():
            self.rows = self.rows[1:]
        self.rows.append(row)


def main(watch):
    pool, memory = Pool(random.Random(1)), Memory(capacity=5000)
    for _ in range(95):
        pool.offer(gb.randn(4))
        memory.push(gb.randn(4))
        watch.step()
    return watch.report()
