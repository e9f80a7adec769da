"""Of two iterators of itertools.tee one is always seventy items ahead."""

import itertools

import garboard as gb


def main(watch):
    ahead, behind = itertools.tee(gb.randn(4) for _ in range(400))
    for _ in range(70):
        next(ahead)
    for _ in range(200):
        (next(ahead) - next(behind)).sum()
        watch.step()
    return watch.report()
