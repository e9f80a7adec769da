"""Each step begins a thread that waits for good, with its batch and what it made of it."""

import threading

import garboard as gb

KIND, VERDICT, HOLDER = "thread-state", "LEAK", "local `y`"


def main(watch):
    stop = threading.Event()

    def work(x):
        y = x * 2  # born, held
        stop.wait()
        return y

    threads = []
    try:
        for _ in range(60):
            thread = threading.Thread(target=work, args=(gb.randn(4),), daemon=True)
            thread.start()
            threads.append(thread)
            watch.step()
        return watch.report()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
