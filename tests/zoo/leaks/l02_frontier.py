"""A search pushes three states for each that it pops: some end, and ever more live."""

import heapq
import itertools

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "GROWING", "list `frontier`"
FIX = (
    "heapq.heappush(frontier, (cost, next(order), found)); frontier.sort(); del frontier[32:]"
    "  # or clear it at the end of each epoch"
)


def main(watch):
    order, frontier = itertools.count(), []
    heapq.heappush(frontier, (0.0, next(order), gb.zeros(4)))
    for _ in range(160):
        cost, _, state = heapq.heappop(frontier)
        for _ in range(3):
            step = gb.randn(4)
            found = state + step  # born
            cost += step.square().sum().item()
            heapq.heappush(frontier, (cost, next(order), found))  # held
        watch.step()
    return watch.report()
