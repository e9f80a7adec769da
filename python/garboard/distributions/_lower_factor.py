"""What a distribution has by the lower triangular factor of its covariance."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments import check
from garboard._engine import ShapeError, Tensor
from garboard.distributions._distribution import Distribution
from garboard.distributions._parameters import expanded, floating
from garboard.linalg import cholesky, solve_triangular

__all__ = ["OfLowerFactor", "lower_of_precision"]


class OfLowerFactor(Distribution):
    """A distribution with a covariance L L^T, of which `scale_tril` is L.

    It keeps the matrix that it was given, which is what it has under that name. As in PyTorch, one
    that is set changes none of the others.
    """

    _matrix_name = "scale_tril"  # of those that may be given, the one that was
    _matrix: Tensor
    _unbroadcasted_scale_tril: Tensor  # PyTorch's name, which subclasses compute themselves

    @property
    def scale_tril(self) -> Tensor:
        """L, one a distribution of the batch."""
        return self._of_batch(self._unbroadcasted_scale_tril)

    @scale_tril.setter
    def scale_tril(self, matrix: Tensor) -> None:
        self._unbroadcasted_scale_tril = matrix

    @property
    def covariance_matrix(self) -> Tensor:
        """L L^T."""
        if self._matrix_name == "covariance_matrix":
            return self._of_batch(self._matrix)
        lower = self._unbroadcasted_scale_tril
        return self._of_batch(lower @ lower.mT)

    @covariance_matrix.setter
    def covariance_matrix(self, matrix: Tensor) -> None:
        self._matrix_name, self._matrix = "covariance_matrix", matrix

    @property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        if self._matrix_name == "precision_matrix":
            return self._of_batch(self._matrix)
        lower = self._unbroadcasted_scale_tril
        eye = _engine.eye(lower.shape[-1], dtype=lower.dtype, device=lower.device)
        inverse = solve_triangular(lower, eye.expand_as(lower), upper=False)
        return self._of_batch(inverse.mT @ inverse)

    @precision_matrix.setter
    def precision_matrix(self, matrix: Tensor) -> None:
        self._matrix_name, self._matrix = "precision_matrix", matrix

    def _of_batch(self, matrix: Tensor) -> Tensor:
        return expanded(matrix, (*self._batch_shape, *matrix.shape[-2:]))

    @property
    def _told_names(self) -> tuple[str, ...]:
        others = {"covariance_matrix", "precision_matrix", "scale_tril"} - {self._matrix_name}
        return tuple(name for name in self.arg_constraints if name not in others)

    def _half_log_det(self) -> Tensor:
        half = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return half.expand(self._batch_shape)

    def _lower_factor(
        self,
        covariance: Tensor | None,
        precision: Tensor | None,
        lower: Tensor | None,
        checks: bool,
    ) -> Tensor:
        """The L of L L^T = covariance, from the one of three matrices that is given.

        Raises ValueError where that is not one, or is out of its range, and ShapeError unless it is
        square.
        """
        op = self._name
        named = {
            "covariance_matrix": covariance,
            "precision_matrix": precision,
            "scale_tril": lower,
        }
        found = [(name, it) for name, it in named.items() if it is not None]
        if len(found) != 1:
            raise ValueError(f"{op}: {len(found)} of {', '.join(named)}; one of them is needed")
        ((name, given),) = found
        self._matrix_name = name
        matrix = floating(op, name, check.tensor(op, name, given))
        if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
            raise ShapeError(f"{op}: {name} of sizes {list(matrix.shape)}; [..., n, n] is needed")
        if checks:
            self._refuse_unless(self.arg_constraints[name], name, matrix)
        if name != "scale_tril":
            self._matrix = matrix
        if name == "covariance_matrix":
            return cholesky(matrix)
        return lower_of_precision(matrix) if name == "precision_matrix" else matrix


def lower_of_precision(precision: Tensor) -> Tensor:
    """The L of (L L^T)^-1 = precision, from the factor of the precision upside down."""
    upper = cholesky(precision.flip((-2, -1))).flip((-2, -1)).mT
    eye = _engine.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return solve_triangular(upper, eye.expand_as(upper), upper=False)
