"""Each step starts a watchdog for its batch, and never stops it."""

import threading

import garboard as gb

KIND, VERDICT, HOLDER = "thread-state", "LEAK", "running threads"


def main(watch):
    try:
        for _ in range(60):
            batch = gb.randn(4)  # born
            threading.Timer(3600, print, [batch]).start()  # held
            watch.step()
        del batch
        return watch.report()
    finally:
        for it in threading.enumerate():
            if isinstance(it, threading.Timer):
                it.cancel()
                it.join()
