"""A consumer takes four of five: all items change in time, and the queue grows all the same."""

import queue

import garboard as gb

KIND, VERDICT, HOLDER = "queue-future-async", "LEAK", "Queue `inbox`"


def main(watch):
    inbox = queue.Queue()
    for _ in range(400):
        for _ in range(5):
            inbox.put(gb.randn(4))  # born, held
        for _ in range(4):
            inbox.get().sum().item()
        watch.step()
    return watch.report()
