"""Loaders of batches, and how one is made, where PyTorch's users look for them."""

from collections.abc import Callable
from typing import Any

from garboard.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    default_collate,
    default_convert,
    get_worker_info,
)
from garboard.utils.data._loader import DatasetKind, _Batches

__all__ = [
    "BatchSampler",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
]

# What programs annotate with.
_collate_fn_t = Callable[[list[Any]], Any]
_worker_init_fn_t = Callable[[int], None]

# What programs name that look into a pass over a loader: there is one kind of pass.
_DatasetKind = DatasetKind
_BaseDataLoaderIter = _SingleProcessDataLoaderIter = _MultiProcessingDataLoaderIter = _Batches
