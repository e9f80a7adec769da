"""Datasets, samplers, and loaders that make batches.

A loader opens no dispose scope: a batch belongs to the scope that is open where the loop asks for
it, and what was needed to make it has gone before the loop sees it.
"""

import sys
from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.utils.data import _collate, _fetching
from garboard.utils.data._collate import default_collate, default_convert
from garboard.utils.data._datapipes import (
    IterDataPipe,
    MapDataPipe,
    ShufflerIterDataPipe,
    apply_shuffle_settings,
)
from garboard.utils.data._datasets import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
)
from garboard.utils.data._loader import DataLoader
from garboard.utils.data._pinning import pin_memory
from garboard.utils.data._reading import WorkerInfo, get_worker_info
from garboard.utils.data._samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from garboard.utils.data._split import random_split
from garboard.utils.data.distributed import DistributedSampler

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterDataPipe",
    "IterableDataset",
    "MapDataPipe",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerInfo",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__, ("dataloader", "dataset", "sampler"))

publish_paths(__name__)
for _path in ("datapipes.iter", "datapipes.iter.combinatorics"):
    vars(sys.modules[f"{__name__}.{_path}"]).update(
        Shuffler=ShufflerIterDataPipe, ShufflerIterDataPipe=ShufflerIterDataPipe
    )
_graphs = vars(sys.modules[f"{__name__}.graph_settings"])
_graphs["apply_shuffle_settings"] = apply_shuffle_settings
vars(sys.modules[f"{__name__}._utils"])["MP_STATUS_CHECK_INTERVAL"] = 5.0
vars(sys.modules[f"{__name__}._utils.collate"]).update(
    collate=_collate.collate,
    collate_float_fn=_collate.collate_float_fn,
    collate_int_fn=_collate.collate_int_fn,
    collate_str_fn=_collate.collate_str_fn,
    collate_tensor_fn=_collate.collate_tensor_fn,
    default_collate_err_msg_format=_collate.default_collate_err_msg_format,
    default_collate_fn_map=_collate.default_collate_fn_map,
    np_str_obj_array_pattern=_collate.np_str_obj_array_pattern,
)
vars(sys.modules[f"{__name__}._utils.fetch"]).update(
    _BaseDatasetFetcher=_fetching.MapFetcher.__base__,
    _IterableDatasetFetcher=_fetching.IterableFetcher,
    _MapDatasetFetcher=_fetching.MapFetcher,
)
vars(sys.modules[f"{__name__}._utils.pin_memory"])["pin_memory"] = pin_memory
vars(sys.modules[f"{__name__}._utils.worker"])["_generate_state"] = _fetching.numpy_seeds
