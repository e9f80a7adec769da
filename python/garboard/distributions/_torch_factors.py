"""PyTorch's private functions of factored covariances, which distributions of one's own import."""

from __future__ import annotations

from garboard import _engine
from garboard._engine import Tensor
from garboard.distributions._lower_factor import lower_of_precision
from garboard.distributions._normal import mahalanobis
from garboard.linalg import cholesky

__all__ = ["OF_A_LOW_RANK", "OF_NORMALS"]


def _batch_mv(matrices: Tensor, vectors: Tensor) -> Tensor:
    """Return the products of matrices [..., m, n] and vectors [..., n], whatever their batches."""
    return (matrices @ vectors.unsqueeze(-1)).squeeze(-1)


def _precision_to_scale_tril(precision: Tensor) -> Tensor:
    """Return the lower factors [..., n, n] of the inverses of matrices [..., n, n].

    Raises:
        LinAlgError: A matrix that is not positive definite.
    """
    return lower_of_precision(precision)


def _batch_mahalanobis(lower: Tensor, apart: Tensor) -> Tensor:
    """Return |L^-1 x|^2 of lower factors [..., n, n] and vectors [..., n], whatever their batch."""
    return mahalanobis(lower, apart)


def _weighed(columns: Tensor, diagonal: Tensor) -> Tensor:
    """W^T D^-1, [..., rank, n]."""
    return columns.mT / diagonal.unsqueeze(-2)


def _batch_capacitance_tril(columns: Tensor, diagonal: Tensor) -> Tensor:
    """Return the lower factors [..., rank, rank] of 1 + W^T D^-1 W.

    Args:
        columns: W, matrices [..., n, rank].
        diagonal: Of D, [..., n], above 0.
    """
    whole = _weighed(columns, diagonal) @ columns
    return cholesky(whole + _engine.eye(whole.shape[-1], dtype=whole.dtype, device=whole.device))


def _batch_lowrank_logdet(columns: Tensor, diagonal: Tensor, capacitance_tril: Tensor) -> Tensor:
    """Return ln det(W W^T + D), [...], by the factors of `_batch_capacitance_tril(W, D)`."""
    inner = capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    return 2 * inner + diagonal.log().sum(-1)


def _batch_lowrank_mahalanobis(
    columns: Tensor, diagonal: Tensor, apart: Tensor, capacitance_tril: Tensor
) -> Tensor:
    """Return x^T (W W^T + D)^-1 x of vectors [..., n], by the factors, as above (Woodbury)."""
    inner = mahalanobis(capacitance_tril, _batch_mv(_weighed(columns, diagonal), apart))
    return (apart.square() / diagonal).sum(-1) - inner


OF_NORMALS = {f.__name__: f for f in (_batch_mahalanobis, _batch_mv, _precision_to_scale_tril)}
OF_A_LOW_RANK = {
    f.__name__: f
    for f in (
        _batch_capacitance_tril,
        _batch_lowrank_logdet,
        _batch_lowrank_mahalanobis,
        _batch_mv,
    )
}
