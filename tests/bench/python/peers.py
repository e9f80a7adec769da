"""NumPy, and PyTorch where it is installed, at one thread."""

import numpy as np

__all__ = ["NAMES", "np", "torch"]

try:
    import torch
except ImportError:
    torch = None
else:
    torch.set_num_threads(1)

NAMES = ("numpy", "torch") if torch else ("numpy",)
