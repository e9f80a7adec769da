"""A future is let go of when its result is there."""

from concurrent.futures import ThreadPoolExecutor

import garboard as gb


def infer(x):
    return x * 2


def main(watch):
    futures = []
    with ThreadPoolExecutor(2) as pool:
        for _ in range(60):
            futures.append(pool.submit(infer, gb.ones(4, 4)))
            futures.pop().result()
            watch.step()
        return watch.report()
