"""Sparse matrices by coordinates, as graph networks use them: a layer of Python over dense ops.

A `SparseTensor` is two dense tensors, places and values, and no Tensor itself. Its products are
gathers and scattered sums, through which gradients flow to the values and to the other factor.
"""

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
from garboard.sparse._rows import SparseCsrTensor, sparse_csr_tensor, to_sparse_csr
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
    "SparseCsrTensor",
    "SparseTensor",
    "addmm",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "sparse_coo_tensor",
    "sparse_csr_tensor",
    "spdiags",
    "spmm",
    "sum",
    "to_sparse",
    "to_sparse_csr",
]
