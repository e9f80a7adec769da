"""Masks by length, and every text has another length."""

import garboard as gb

KIND, VERDICT, HOLDER = "unbounded-shape-cache", "GROWING", "dict `masks`"

masks = {}


def main(watch):
    for step in range(60):
        key = (step + 5, step + 5)
        masks[key] = gb.ones(key)  # born, held
        watch.step()
    return watch.report()
