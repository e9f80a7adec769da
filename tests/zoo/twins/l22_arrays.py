"""Copies are taken, a few of them."""

import garboard as gb


def main(watch):
    arrays = []
    for _ in range(60):
        arrays.append(gb.ones(4, 4).numpy().copy())
        watch.step()
    return watch.report()
