"""A workspace for every shape, and the shapes never end."""

import garboard as gb

KIND, VERDICT, HOLDER = "unbounded-shape-cache", "GROWING", "dict `plans`"

plans = {}


def workspace(shape):
    if shape not in plans:
        plans[shape] = gb.zeros(shape)  # born, held
    return plans[shape]


def main(watch):
    for step in range(60):
        workspace((4, 10 + step))
        watch.step()
    return watch.report()
