"""Arrays over tensors' memory are read and dropped."""

import garboard as gb
import numpy as np


def main(watch):
    total = 0.0
    for _ in range(60):
        array = np.asarray(gb.ones(8, 4))
        total += float(array.sum()) + float(gb.ones(4).numpy().sum())
        watch.step()
    return watch.report()
