"""A NumPy array of objects, written round and round."""

import garboard as gb
import numpy as np


def main(watch):
    ring = np.empty((5, 4), dtype=object)
    for step in range(130):
        ring.flat[step % ring.size] = gb.randn(4)
        watch.step()
    return watch.report()
