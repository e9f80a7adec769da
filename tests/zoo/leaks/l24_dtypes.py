"""A plan for each shape and dtype, and shapes never repeat."""

import garboard as gb

KIND, VERDICT, HOLDER = "unbounded-shape-cache", "LEAK", "dict `Planner.plans`"


class Planner:
    def __init__(self):
        self.plans = {}

    def plan(self, shape):
        self.plans[shape] = gb.zeros(shape)  # born, held


def main(watch):
    planner = Planner()
    for step in range(140):
        planner.plan((2, 3 + step))
        watch.step()
    return watch.report()
