"""A queue without a bound, and nobody reads it."""

import queue

import garboard as gb

KIND, VERDICT, HOLDER = "queue-future-async", "LEAK", "Queue `waiting`"


def main(watch):
    waiting = queue.Queue()
    for _ in range(60):
        waiting.put(gb.randn(4))  # born, held
        watch.step()
    return watch.report()
