"""A pool of threads starts late, and each keeps its last result."""

import threading
from concurrent.futures import ThreadPoolExecutor

import garboard as gb

local = threading.local()


def work(x):
    local.last = x * 2
    return float(local.last.sum())


def main(watch):
    with ThreadPoolExecutor(4) as pool:
        for _ in range(80):
            list(pool.map(work, [gb.ones(4) for _ in range(4)]))
            watch.step()
        return watch.report()
