"""A search keeps the eight best states."""

import heapq
import itertools

import garboard as gb


def main(watch):
    order, frontier = itertools.count(), []
    heapq.heappush(frontier, (0.0, next(order), gb.zeros(4)))
    for _ in range(160):
        cost, _, state = heapq.heappop(frontier)
        for _ in range(3):
            step = gb.randn(4)
            found = state + step
            cost += step.square().sum().item()
            heapq.heappush(frontier, (cost, next(order), found))
        frontier = heapq.nsmallest(8, frontier)
        watch.step()
    return watch.report()
