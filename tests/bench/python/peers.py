"""NumPy, and PyTorch where it is installed, at as many threads as ours."""

import os

import numpy as np

__all__ = ["NAMES", "THREADS", "np", "torch"]

THREADS = int(os.environ["OMP_NUM_THREADS"])  # set before NumPy reads it

try:
    import torch
except ImportError:
    torch = None
else:
    torch.set_num_threads(THREADS)

NAMES = ("numpy", "torch") if torch else ("numpy",)
