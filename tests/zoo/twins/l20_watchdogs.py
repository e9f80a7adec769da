"""Each step starts a watchdog for its batch, and stops it."""

import threading

import garboard as gb


def main(watch):
    for _ in range(60):
        batch = gb.randn(4)
        watchdog = threading.Timer(3600, print, [batch])
        watchdog.start()
        batch.sum().item()
        watchdog.cancel()
        watchdog.join()
        watch.step()
    return watch.report()
