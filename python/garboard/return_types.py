"""The types of what functions of several results return, by the functions' names."""

from __future__ import annotations

from garboard._engine import ValuesAndIndices
from garboard._ops.functions import MinAndMax
from garboard._ops.index_functions import CountsAndEdges, CountsAndEdgesOfAll
from garboard._ops.real_numbers import MantissaAndExponent
from garboard.linalg._eigenvalues import Eig, Eigh
from garboard.linalg._factors import LU, QR, SVD, CholeskyEx, LUFactor, LUFactorEx
from garboard.linalg._inverses import Lstsq
from garboard.linalg._older_names import SvdOfThree, TriangularSolve
from garboard.linalg._older_reflectors import Reflectors
from garboard.linalg._roots import Polar
from garboard.linalg._solving import InvEx, SlogDet, SolveEx
from garboard.linalg._symmetric_factors import LDLFactor, LDLFactorEx

__all__ = [
    "aminmax",
    "cummax",
    "cummin",
    "frexp",
    "geqrf",
    "histogram",
    "histogramdd",
    "kthvalue",
    "linalg_cholesky_ex",
    "linalg_eig",
    "linalg_eigh",
    "linalg_inv_ex",
    "linalg_ldl_factor",
    "linalg_ldl_factor_ex",
    "linalg_lstsq",
    "linalg_lu",
    "linalg_lu_factor",
    "linalg_lu_factor_ex",
    "linalg_polar",
    "linalg_qr",
    "linalg_slogdet",
    "linalg_solve_ex",
    "linalg_svd",
    "max",
    "median",
    "min",
    "mode",
    "nanmedian",
    "qr",
    "slogdet",
    "sort",
    "svd",
    "topk",
    "triangular_solve",
]

aminmax = MinAndMax
cummax = ValuesAndIndices
cummin = ValuesAndIndices
frexp = MantissaAndExponent
geqrf = Reflectors
histogram = CountsAndEdges
histogramdd = CountsAndEdgesOfAll
kthvalue = ValuesAndIndices
linalg_cholesky_ex = CholeskyEx
linalg_eig = Eig
linalg_eigh = Eigh
linalg_inv_ex = InvEx
linalg_ldl_factor = LDLFactor
linalg_ldl_factor_ex = LDLFactorEx
linalg_lstsq = Lstsq
linalg_lu = LU
linalg_lu_factor = LUFactor
linalg_lu_factor_ex = LUFactorEx
linalg_polar = Polar
linalg_qr = QR
linalg_slogdet = SlogDet
linalg_solve_ex = SolveEx
linalg_svd = SVD
max = ValuesAndIndices
median = ValuesAndIndices
min = ValuesAndIndices
mode = ValuesAndIndices
nanmedian = ValuesAndIndices
qr = QR
slogdet = SlogDet
sort = ValuesAndIndices
svd = SvdOfThree
topk = ValuesAndIndices
triangular_solve = TriangularSolve
