"""Each search pushes more states than it pops, and ends after some steps."""

import heapq
import itertools

import garboard as gb


def main(watch):
    order = itertools.count()
    for _ in range(6):
        frontier = [(0.0, next(order), gb.zeros(4))]
        for _ in range(30):
            cost, _, state = heapq.heappop(frontier)
            for _ in range(3):
                step = gb.randn(4)
                cost += step.square().sum().item()
                heapq.heappush(frontier, (cost, next(order), state + step))
            watch.step()
    return watch.report()
