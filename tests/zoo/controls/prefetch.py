"""A producer waits for its consumer: a queue of four batches."""

import queue
import threading

import garboard as gb


def main(watch):
    batches = queue.Queue(maxsize=4)

    def produce():
        for _ in range(60):
            batches.put(gb.ones(8, 4))

    worker = threading.Thread(target=produce)
    worker.start()
    for _ in range(60):
        batches.get().sum().item()
        watch.step()
    worker.join()
    return watch.report()
