"""A pool of tasks from which what is solved is taken by a comprehension."""

import random

import garboard as gb


class Pool:
    def __init__(self):
        self.tasks, self.scores = [], {}

    def add(self, task):
        self.tasks.append(task)

    def retire(self, solved):
        self.tasks = [it for it in self.tasks if not solved(it)]


def main(watch):
    pool, draw = Pool(), random.Random(3)
    for step in range(150):
        pool.add({"x": gb.randn(4), "until": step + draw.randint(5, 25)})
        pool.retire(lambda it, now=step: it["until"] < now)
        watch.step()
    return watch.report()
