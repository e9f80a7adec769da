"""A worker puts its results into a queue that has no bound, and nobody takes them."""

import queue
import threading

import garboard as gb

KIND, VERDICT, HOLDER = "queue-future-async", "LEAK", "SimpleQueue `done`"
FIX = "make done a queue.Queue(maxsize=4), which lets the producer wait"


def work(asked, done):
    while (x := asked.get()) is not None:
        done.put(x)  # held
        del x
        asked.task_done()


def main(watch):
    asked, done = queue.Queue(2), queue.SimpleQueue()
    thread = threading.Thread(target=work, args=(asked, done))
    thread.start()
    try:
        for _ in range(60):
            asked.put(gb.randn(2, 4))  # born
            asked.join()
            watch.step()
        return watch.report()
    finally:
        asked.put(None)
        thread.join()
