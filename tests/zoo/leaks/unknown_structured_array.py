"""A NumPy array of records with objects: no chain can be seen through it, so nothing is claimed."""

import garboard as gb
import numpy as np

KIND, VERDICT, HOLDER = "unknown", "GROWING", "a holder outside Python"


def main(watch):
    shelf = np.empty(100, dtype=[("step", int), ("value", object)])
    for step in range(60):
        shelf[step] = step, gb.ones(())  # born
        watch.step()
    return watch.report()
