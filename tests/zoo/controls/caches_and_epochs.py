"""Caches that fill in the first epochs, and a number noted of each."""

import collections
import random

import garboard as gb


def main(watch):
    draw = random.Random(5)
    masks, recent, log = {}, collections.OrderedDict(), []
    for _ in range(6):
        total = 0.0
        for _ in range(50):
            size = min(30, 1 + int(draw.expovariate(0.1)))
            if size not in masks:
                masks[size] = gb.ones(size, size).tril()
            key = int(draw.paretovariate(0.7))
            if key not in recent:
                recent[key] = gb.randn(4)
            if len(recent) > 64:
                recent.popitem(last=False)
            total += masks[size].sum().item()
            watch.step()
        log.append(gb.tensor(total))
        watch.epoch()
    return watch.report()
