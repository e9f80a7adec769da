"""A consumer takes four of five, and the producer waits where the queue is full."""

import queue

import garboard as gb


def main(watch):
    inbox = queue.Queue()
    for _ in range(400):
        for _ in range(5):
            if inbox.qsize() < 60:
                inbox.put(gb.randn(4))
        for _ in range(4):
            inbox.get().sum().item()
        watch.step()
    return watch.report()
