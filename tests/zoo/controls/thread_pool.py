"""Workers return results, which are read and dropped."""

from concurrent.futures import ThreadPoolExecutor

import garboard as gb


def main(watch):
    with ThreadPoolExecutor(2) as pool:
        for _ in range(40):
            futures = [pool.submit(lambda: gb.ones(8, 4).sum()) for _ in range(3)]
            sum(future.result().item() for future in futures)
            watch.step()
    return watch.report()
