"""Where PyTorch's programs look for some of the functions at the root; networks' are in `nn`."""

from __future__ import annotations

from garboard._engine import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_tensors,
    cartesian_prod,
    norm,
    split,
    unique,
    unique_consecutive,
)
from garboard._ops.contractions import einsum, tensordot
from garboard._ops.distances import cdist
from garboard._ops.functions import broadcast_shapes, meshgrid
from garboard._ops.index_functions import unravel_index
from garboard.fft._short_time import istft, stft
from garboard.linalg._low_rank import pca_lowrank, svd_lowrank
from garboard.linalg._older_factors import lu
from garboard.linalg._older_names import chain_matmul

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "cdist",
    "chain_matmul",
    "einsum",
    "istft",
    "lu",
    "meshgrid",
    "norm",
    "pca_lowrank",
    "split",
    "stft",
    "svd_lowrank",
    "tensordot",
    "unique",
    "unique_consecutive",
    "unravel_index",
]
