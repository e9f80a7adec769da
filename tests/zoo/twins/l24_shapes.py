"""Twelve shapes."""

import garboard as gb

plans = {}


def workspace(shape):
    if shape not in plans:
        plans[shape] = gb.zeros(shape)
    return plans[shape]


def main(watch):
    for step in range(60):
        workspace((4, 10 + 7 * step % 12))
        watch.step()
    return watch.report()
