"""A queue without a bound, and nobody reads it."""

import queue

import garboard as gb

KIND, VERDICT, HOLDER = "queue-future-async", "LEAK", "deque `Queue.queue`"


def main(watch):
    waiting = queue.Queue()
    for _ in range(60):
        waiting.put(gb.randn(4))  # born
        watch.step()
    return watch.report()
