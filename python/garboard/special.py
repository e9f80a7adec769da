"""Functions of mathematics and statistics, under the names that scientific libraries share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._engine import (
    digamma,
    erf,
    erfc,
    erfinv,
    exp2,
    expm1,
    log1p,
    log_softmax,
    logit,
    logsumexp,
    round,
    sinc,
    softmax,
    xlogy,
)
from garboard._engine import digamma as psi
from garboard._engine import lgamma as gammaln
from garboard._engine import sigmoid as expit
from garboard._missing import module_getattr
from garboard._special_functions import entr, log_ndtr, ndtr, ndtri, xlog1py
from garboard._special_functions import mvlgamma as multigammaln

__all__ = [
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammaln",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "psi",
    "round",
    "sinc",
    "softmax",
    "xlog1py",
    "xlogy",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
