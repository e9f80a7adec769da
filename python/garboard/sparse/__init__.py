"""Sparse matrices by coordinates, as graph networks use them: a layer of Python over dense ops.

A `SparseTensor` is two dense tensors, places and values, and a Tensor to `isinstance` alone: the
engine is given its parts. Its products are gathers and scattered sums, through which gradients flow
to the values and to the other factor.
"""

import garboard.sparse._elements
import garboard.sparse._traits  # noqa: F401 - methods
from garboard.sparse._compressed import (
    SparseBscTensor,
    SparseBsrTensor,
    SparseCscTensor,
    SparseCsrTensor,
)
from garboard.sparse._diagonals import spdiags
from garboard.sparse._functions import (
    addmm,
    log_softmax,
    mm,
    sampled_addmm,
    softmax,
    spmm,
    sum,
)
from garboard.sparse._invariants import check_sparse_tensor_invariants
from garboard.sparse._made import (
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
    sparse_coo_tensor,
    to_sparse,
)
from garboard.sparse._rows import (
    sparse_bsc_tensor,
    sparse_bsr_tensor,
    sparse_compressed_tensor,
    sparse_csc_tensor,
    sparse_csr_tensor,
    to_sparse_csr,
)
from garboard.sparse._selected import index_select as _index_select  # noqa: F401 - a method
from garboard.sparse._tensor import SparseTensor

__all__ = [
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "SparseBscTensor",
    "SparseBsrTensor",
    "SparseCscTensor",
    "SparseCsrTensor",
    "SparseTensor",
    "addmm",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "sparse_bsc_tensor",
    "sparse_bsr_tensor",
    "sparse_compressed_tensor",
    "sparse_coo_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
    "spdiags",
    "spmm",
    "sum",
    "to_sparse",
    "to_sparse_csr",
]
