"""Linear algebra: factors, solutions, spectra, norms and products of matrices.

Matrices are the last two dims; what stands before them is a batch. Factorizations are LAPACK's, of
float32, float64 and complex numbers on the CPU, and their gradients are made of ops.
"""

from typing import TYPE_CHECKING

from garboard._engine import LinAlgError
from garboard._names.missing import module_getattr
from garboard.linalg._eigenvalues import eig, eigh, eigvals, eigvalsh
from garboard.linalg._factors import (
    cholesky,
    cholesky_ex,
    lu,
    lu_factor,
    lu_factor_ex,
    lu_solve,
    qr,
    svd,
    svdvals,
)
from garboard.linalg._inverses import cond, lstsq, matrix_rank, pinv
from garboard.linalg._norms import matrix_norm, norm, vector_norm
from garboard.linalg._products import (
    cross,
    diagonal,
    matmul,
    matrix_exp,
    matrix_power,
    multi_dot,
    vander,
    vecdot,
)
from garboard.linalg._reflectors import householder_product
from garboard.linalg._roots import matrix_sqrth, polar
from garboard.linalg._solving import (
    det,
    inv,
    inv_ex,
    slogdet,
    solve,
    solve_ex,
    solve_triangular,
)
from garboard.linalg._symmetric_factors import ldl_factor, ldl_factor_ex, ldl_solve
from garboard.linalg._tensors import tensorinv, tensorsolve

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_sqrth",
    "multi_dot",
    "norm",
    "pinv",
    "polar",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
