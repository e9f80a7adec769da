"""A replay memory whose length is only looked at before there is a batch in it."""

import random

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Replay.rows`"


class Replay:
    def __init__(self, capacity):
        self.capacity, self.rows = capacity, []

    def push(self, state, reward):
        self.rows.append((state, reward))  # held


def main(watch):
    replay, draw = Replay(100), random.Random(0)
    for _ in range(220):
        replay.push(gb.randn(4), gb.randn(1))  # born
        if len(replay.rows) > 8:
            draw.sample(replay.rows, 8)
        watch.step()
    return watch.report()
