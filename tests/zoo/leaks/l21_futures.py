"""Finished futures keep their results."""

from concurrent.futures import ThreadPoolExecutor

import garboard as gb

KIND, VERDICT, HOLDER = "queue-future-async", "LEAK", "list `futures`"


def infer(x):
    return x * 2  # born


def main(watch):
    futures = []
    with ThreadPoolExecutor(2) as pool:
        for _ in range(60):
            futures.append(pool.submit(infer, gb.ones(4, 4)))  # held
            futures[-1].result()
            watch.step()
        return watch.report()
