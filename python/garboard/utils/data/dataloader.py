"""Loaders of batches, and how one is made, where PyTorch's users look for them."""

from garboard.utils.data import (
    DataLoader,
    default_collate,
    default_convert,
    get_worker_info,
)

__all__ = [
    "DataLoader",
    "default_collate",
    "default_convert",
    "get_worker_info",
]
