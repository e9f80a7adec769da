"""A queue that is full most of the time, and bounded."""

import queue

import garboard as gb


def main(watch):
    waiting = queue.Queue(maxsize=40)
    for _ in range(60):
        if waiting.full():
            waiting.get()
        waiting.put(gb.ones(4, 4))
        watch.step()
    return watch.report()
