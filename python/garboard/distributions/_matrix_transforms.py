"""Transforms onto rows that add up to 1, and onto factors of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt, log

from garboard import _engine
from garboard._arguments import check
from garboard._engine import ShapeError, Tensor, pad, tril_indices
from garboard._ops.dtypes import finfo
from garboard.distributions import constraints
from garboard.distributions._transform import Transform
from garboard.distributions.constraints import Constraint
from garboard.linalg import cholesky

__all__ = [
    "CorrCholeskyTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "StickBreakingTransform",
]


class StickBreakingTransform(Transform):
    """n numbers as n + 1 that add up to 1: each takes a share of what those before it left.

    >>> gb.distributions.transforms.StickBreakingTransform()(gb.zeros(2))
    tensor([0.3333, 0.3333, 0.3333])
    """

    _compared = ()
    domain: Constraint = constraints.real_vector
    codomain: Constraint = constraints.simplex
    bijective: bool = True

    def _call(self, x: Tensor) -> Tensor:
        share = (x - _left(x).log()).sigmoid()
        rest = (1 - share).cumprod(-1)
        return pad(share, (0, 1), value=1.0) * pad(rest, (1, 0), value=1.0)

    def _inverse(self, y: Tensor) -> Tensor:
        taken = y[..., :-1]
        rest = (1 - taken.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return taken.log() - rest.log() + _left(taken).log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        check.tensor("StickBreakingTransform", "x", x)
        check.tensor("StickBreakingTransform", "y", y)
        shifted = x - _left(x).log()
        return (-shifted - _engine._softplus(-shifted) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        given = _with_dims("StickBreakingTransform", shape, 1)
        return (*given[:-1], given[-1] + 1)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        given = _with_dims("StickBreakingTransform", shape, 1)
        return (*given[:-1], max(given[-1] - 1, 0))


class CorrCholeskyTransform(Transform):
    """n (n - 1) / 2 numbers as the lower factor of a correlation matrix [n, n].

    >>> gb.distributions.transforms.CorrCholeskyTransform()(gb.zeros(1))
    tensor([[1., 0.],
            [0., 1.]])
    """

    _compared = ()
    domain: Constraint = constraints.real_vector
    codomain: Constraint = constraints.corr_cholesky
    bijective: bool = True

    def _call(self, x: Tensor) -> Tensor:
        size = self.forward_shape(x.shape)[-1]
        edge = 1 - finfo(x.dtype).eps
        partial = _below(x.tanh().clamp(-edge, edge), size)
        left = (1 - partial.square()).sqrt().cumprod(-1)
        eye = _engine.eye(size, dtype=x.dtype, device=x.device)
        return (partial + eye) * pad(left[..., :-1], (1, 0), value=1.0)

    def _inverse(self, y: Tensor) -> Tensor:
        left = 1 - y.square().cumsum(-1)
        before = pad(left[..., :-1], (1, 0), value=1.0)
        share = _taken_below(y, -1) / _taken_below(before, -1).sqrt()
        return (share.log1p() - (-share).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        check.tensor("CorrCholeskyTransform", "x", x)
        self.inverse_shape(check.tensor("CorrCholeskyTransform", "y", y).shape)
        left = _taken_below(1 - y.square().cumsum(-1), -2)
        of_tanh = -2 * (x + _engine._softplus(-2 * x) - log(2.0)).sum(-1)
        return 0.5 * left.log().sum(-1) + of_tanh

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        given = _with_dims("CorrCholeskyTransform", shape, 1)
        size = (1 + isqrt(1 + 8 * given[-1])) // 2
        if size * (size - 1) // 2 != given[-1]:
            raise ShapeError(
                f"CorrCholeskyTransform: rows of {given[-1]}; n (n - 1) / 2 numbers are needed"
            )
        return (*given[:-1], size, size)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        given = _with_dims("CorrCholeskyTransform", shape, 2)
        if given[-1] != given[-2]:
            raise ShapeError(f"CorrCholeskyTransform: sizes {list(given)}; [..., n, n] is needed")
        return (*given[:-2], given[-1] * (given[-1] - 1) // 2)


class LowerCholeskyTransform(Transform):
    """Matrices as lower triangular ones with a diagonal above 0, by its exponential.

    >>> gb.distributions.transforms.LowerCholeskyTransform()(gb.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    _compared = ()
    domain: Constraint = constraints.independent(constraints.real, 2)
    codomain: Constraint = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """Matrices as L L^T, with the L of `LowerCholeskyTransform`.

    >>> gb.distributions.transforms.PositiveDefiniteTransform()(gb.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """

    _compared = ()
    domain: Constraint = constraints.independent(constraints.real, 2)
    codomain: Constraint = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        lower = LowerCholeskyTransform()(x)
        return lower @ lower.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(cholesky(y))


def _left(x: Tensor) -> Tensor:
    """How many numbers are still to come at each place: n, n - 1, ..., 1."""
    return _engine.arange(x.shape[-1], 0, -1, dtype=x.dtype, device=x.device)


def _with_dims(op: str, shape: Sequence[int], dims: int) -> tuple[int, ...]:
    given = check.sizes(op, "shape", shape)
    if len(given) < dims:
        raise ShapeError(
            f"{op}: sizes {list(given)}; [..., {'n' if dims == 1 else 'n, n'}] is needed"
        )
    return given


def _places_below(size: int, offset: int, like: Tensor) -> Tensor:
    rows, columns = tril_indices(size, size, offset, device=like.device)
    return rows * size + columns


def _below(x: Tensor, size: int) -> Tensor:
    """Matrices with the numbers of `x` below the diagonal, row by row, and 0 elsewhere."""
    empty = _engine.zeros(*x.shape[:-1], size * size, dtype=x.dtype, device=x.device)
    filled = empty.index_copy(-1, _places_below(size, -1, x), x)
    return filled.view(*x.shape[:-1], size, size)


def _taken_below(matrix: Tensor, offset: int) -> Tensor:
    places = _places_below(matrix.shape[-1], offset, matrix)
    return matrix.flatten(-2).index_select(-1, places)
