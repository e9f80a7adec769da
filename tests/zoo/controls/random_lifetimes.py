"""Tensors live for random whiles, some of them long."""

import random

import garboard as gb


def main(watch):
    draw = random.Random(7)
    alive = {}
    for step in range(400):
        alive[step] = gb.zeros(())
        for born in [it for it in alive if draw.random() < 0.1]:
            del alive[born]
        watch.step()
    return watch.report()
