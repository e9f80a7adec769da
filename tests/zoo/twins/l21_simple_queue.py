"""A worker puts its results into a queue, and the loop takes them."""

import queue
import threading

import garboard as gb


def work(asked, done):
    while (x := asked.get()) is not None:
        done.put(x)
        del x
        asked.task_done()


def main(watch):
    asked, done = queue.Queue(2), queue.SimpleQueue()
    thread = threading.Thread(target=work, args=(asked, done))
    thread.start()
    try:
        for _ in range(60):
            asked.put(gb.randn(2, 4))
            done.get().sum()
            watch.step()
        return watch.report()
    finally:
        asked.put(None)
        thread.join()
