"""A priority queue with a bound that is not reached yet."""

import queue

import garboard as gb


def main(watch):
    best = queue.PriorityQueue(maxsize=300)
    for n in range(200):
        if best.full():
            best.get()
        best.put((n, gb.randn(4)))
        watch.step()
    return watch.report()
