"""A worker thread that never ends appends to a list of its own frame."""

import queue
import threading

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `seen`"


def work(tasks, done):
    seen = []
    for x in iter(tasks.get, None):
        y = (x * 2).sum()  # born
        seen.append(y)  # held
        done.put(None)


def main(watch):
    tasks, done = queue.Queue(), queue.Queue()
    worker = threading.Thread(target=work, args=(tasks, done))
    worker.start()
    try:
        for _ in range(60):
            tasks.put(gb.ones(3))
            done.get()
            watch.step()
        return watch.report()
    finally:
        tasks.put(None)
        worker.join()
