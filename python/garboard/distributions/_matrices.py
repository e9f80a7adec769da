"""Distributions of matrices, and of vectors whose covariance is nearly diagonal."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi
from typing import ClassVar

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor, where
from garboard._ops.dtypes import finfo
from garboard._ops.functions import broadcast_shapes
from garboard._ops.special_functions import mvlgamma
from garboard.distributions import constraints
from garboard.distributions._distribution import Distribution
from garboard.distributions._gammas import Beta, Chi2
from garboard.distributions._lower_factor import OfLowerFactor
from garboard.distributions._parameters import expanded, floating
from garboard.distributions.constraints import Constraint
from garboard.linalg import cholesky, solve_triangular

__all__ = ["LKJCholesky", "LowRankMultivariateNormal", "Wishart"]


class LowRankMultivariateNormal(Distribution):
    """Normal vectors of the covariance W W^T + D, with few columns in W and a diagonal D.

    Densities and draws cost the rank of W times n, and no matrix [n, n] is made (Woodbury).

    Args:
        loc: The means, [..., n].
        cov_factor: W, [..., n, rank].
        cov_diag: The diagonal of D, [..., n], above 0.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A diagonal that is not above 0.
        ShapeError: Sizes that do not fit.

    >>> pair = gb.distributions.LowRankMultivariateNormal(gb.zeros(2), gb.ones(2, 1), gb.ones(2))
    >>> pair.covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    _held: ClassVar[dict[str, int]] = {"loc": 1, "cov_factor": 2, "cov_diag": 1}
    loc: Tensor
    cov_factor: Tensor
    cov_diag: Tensor

    def __init__(
        self,
        loc: Tensor,
        cov_factor: Tensor,
        cov_diag: Tensor,
        validate_args: bool | None = None,
    ) -> None:
        op = "LowRankMultivariateNormal"
        mean, factor, diagonal = (
            floating(op, name, check.tensor(op, name, it))
            for name, it in (("loc", loc), ("cov_factor", cov_factor), ("cov_diag", cov_diag))
        )
        size = mean.shape[-1] if mean.ndim else 0
        fits = factor.ndim >= 2 and factor.shape[-2] == size and diagonal.shape[-1:] == (size,)
        if mean.ndim < 1 or not fits:
            told = ", ".join(str(list(it.shape)) for it in (mean, factor, diagonal))
            raise ShapeError(
                f"{op}: loc, cov_factor and cov_diag of sizes {told}; [..., n], [..., n, rank] and "
                "[..., n] are needed"
            )
        sizes = broadcast_shapes(mean.shape[:-1], factor.shape[:-2], diagonal.shape[:-1])
        self.loc = expanded(mean, (*sizes, size))
        self.cov_factor = expanded(factor, (*sizes, *factor.shape[-2:]))
        self.cov_diag = expanded(diagonal, (*sizes, size))
        super().__init__(sizes, (size,), validate_args)

    support: Constraint = constraints.real_vector

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self.cov_factor.square().sum(-1) + self.cov_diag

    @property
    def covariance_matrix(self) -> Tensor:
        """W W^T + D."""
        return self.cov_factor @ self.cov_factor.mT + self.cov_diag.diag_embed()

    @property
    def scale_tril(self) -> Tensor:
        """The lower triangular L of L L^T = W W^T + D."""
        return cholesky(self.covariance_matrix)

    @property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        weighed = self._weighed()
        mapped = solve_triangular(self._capacitance(), weighed, upper=False)
        return self.cov_diag.reciprocal().diag_embed() - mapped.mT @ mapped

    def _weighed(self) -> Tensor:
        """W^T D^-1."""
        return self.cov_factor.mT / self.cov_diag.unsqueeze(-2)

    def _capacitance(self) -> Tensor:
        """The lower factor of 1 + W^T D^-1 W, which is as large as the rank."""
        whole = self._weighed() @ self.cov_factor
        return cholesky(
            whole + _engine.eye(whole.shape[-1], dtype=whole.dtype, device=whole.device)
        )

    def _half_log_det(self) -> Tensor:
        inner = self._capacitance().diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return inner + 0.5 * self.cov_diag.log().sum(-1)

    def _distance(self, apart: Tensor) -> Tensor:
        """x^T (W W^T + D)^-1 x of vectors [..., n]."""
        mapped = self._weighed() @ apart.unsqueeze(-1)
        factor = self._capacitance()
        factor = factor.expand((*mapped.shape[:-2], *factor.shape[-2:]))
        inner = solve_triangular(factor, mapped, upper=False).squeeze(-1).square().sum(-1)
        return (apart.square() / self.cov_diag).sum(-1) - inner

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        like = self.loc
        rank = self.cov_factor.shape[-1]
        shared = _engine.randn((*sizes[:-1], rank, 1), dtype=like.dtype, device=like.device)
        own = _engine.randn(sizes, dtype=like.dtype, device=like.device)
        return like + (self.cov_factor @ shared).squeeze(-1) + self.cov_diag.sqrt() * own

    def log_prob(self, value: Tensor) -> Tensor:
        distance = self._distance(self._checked(value) - self.loc)
        return -0.5 * (self.event_shape[0] * log(2 * pi) + distance) - self._half_log_det()

    def entropy(self) -> Tensor:
        return 0.5 * self.event_shape[0] * (1.0 + log(2 * pi)) + self._half_log_det()


class Wishart(OfLowerFactor):
    """Sums of x x^T over `df` normal vectors x of one covariance: matrices [n, n].

    Drawn by their lower factors (Bartlett).

    Args:
        df: How many, above n - 1; it need not be whole: a tensor, or a number.
        covariance_matrix: [..., n, n], symmetric and positive definite.
        precision_matrix: Its inverse, instead.
        scale_tril: The lower triangular matrix L of covariance = L L^T, instead: the fastest.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Not one of the three matrices, or a parameter out of its range.
        ShapeError: Sizes that do not fit.

    >>> gb.distributions.Wishart(3.0, gb.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
        "df": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"df": 0, "_unbroadcasted_scale_tril": 2}
    df: Tensor

    def __init__(
        self,
        df: Tensor | float,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        op = "Wishart"
        checks = self._validate_args if validate_args is None else validate_args
        lower = self._lower_factor(covariance_matrix, precision_matrix, scale_tril, checks)
        size = lower.shape[-1]
        if is_really(df, Tensor):
            freedom = floating(op, "df", df)
        else:
            number = check.worth(op, "df", df)
            freedom = _engine.full((), number, dtype=lower.dtype, device=lower.device)
        sizes = broadcast_shapes(freedom.shape, lower.shape[:-2])
        self.df = expanded(freedom, sizes)
        self._unbroadcasted_scale_tril = lower
        super().__init__(sizes, (size, size), validate_args)
        if checks:
            self._refuse_unless(constraints.greater_than(size - 1), "df", self.df)

    support: Constraint = constraints.positive_definite

    @property
    def _freedom(self) -> Tensor:
        return self.df.unsqueeze(-1).unsqueeze(-1)

    @property
    def mean(self) -> Tensor:
        return self._freedom * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self._freedom - self.event_shape[0] - 1
        return where(factor > 0, factor, float("nan")) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        products = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._freedom * (covariance.square() + products)

    def _places(self) -> Tensor:
        return _engine.arange(self.event_shape[0], dtype=self.df.dtype, device=self.df.device)

    def rsample(
        self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None
    ) -> Tensor:
        """Draw matrices; those that rounding has made singular are drawn again.

        Args:
            sample_shape: The sizes before those of the batch.
            max_try_correction: How often, at most; 10 times by default.

        Returns:
            Matrices [..., n, n], through which gradients pass.

        >>> gb.distributions.Wishart(3.0, gb.eye(2)).rsample((4,)).shape
        (4, 2, 2)
        """
        sizes = self._extended_shape(sample_shape)
        drawn = self._drawn(sizes)
        tries = check.size(
            "Wishart.rsample",
            "max_try_correction",
            10 if max_try_correction is None else max_try_correction,
        )
        for _ in range(tries):
            with no_grad():
                fits = self.support.check(drawn)
            if fits.all():
                break
            drawn = where(fits.unsqueeze(-1).unsqueeze(-1), drawn, self._drawn(sizes))
        return drawn

    def _drawn(self, sizes: tuple[int, ...]) -> Tensor:
        counts = (self.df.unsqueeze(-1) - self._places()).expand(sizes[:-1])
        diagonal = Chi2(counts, validate_args=False).rsample().sqrt()
        below = _engine.randn(sizes, dtype=self.df.dtype, device=self.df.device).tril(-1)
        factor = self.scale_tril @ (below + diagonal.diag_embed())
        return factor @ factor.mT

    def _log_normalizer(self) -> Tensor:
        size = self.event_shape[0]
        return self.df * (size / 2 * log(2) + self._half_log_det()) + mvlgamma(self.df / 2, size)

    def _slope(self) -> Tensor:
        """The mean of ln det X, but for what the covariance adds."""
        halves = (self.df.unsqueeze(-1) - self._places()) / 2
        return halves.digamma().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        given, size = self._checked(value), self.event_shape[0]
        batch = broadcast_shapes(self.batch_shape, given.shape[:-2])
        lower = self.scale_tril.expand((*batch, size, size))
        factor = cholesky(given).expand((*batch, size, size))
        mapped = solve_triangular(lower, factor, upper=False)
        log_det = 2 * factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return (
            (self.df - size - 1) / 2 * log_det
            - mapped.square().sum((-2, -1)) / 2
            - self._log_normalizer()
        )

    def entropy(self) -> Tensor:
        size = self.event_shape[0]
        log_det = self._slope() + size * log(2) + 2 * self._half_log_det()
        return self._log_normalizer() - (self.df - size - 1) / 2 * log_det + self.df * size / 2


class LKJCholesky(Distribution):
    """Lower factors of correlation matrices, of a density of det(correlation)^(concentration - 1).

    Drawn row by row (Lewandowski, Kurowicka, Joe, "Generating random correlation matrices based on
    vines and extended onion method", 2009).

    Args:
        dim: How many rows, 2 or more.
        concentration: Above 0; at 1 all correlations are as likely: a tensor, or a number.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Fewer rows, or a concentration that is not above 0.

    >>> gb.distributions.LKJCholesky(3, 1.0).sample().shape
    (3, 3)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {"concentration": constraints.positive}
    _held: ClassVar[dict[str, int]] = {"concentration": 0}

    def __init__(
        self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None
    ) -> None:
        op = "LKJCholesky"
        if check.worth(op, "dim", dim) < 2:
            raise ArgumentError(f"{op}: dim {shown(dim)}; 2 or more is needed")
        self.dim: int = check.count(op, "dim", dim, 2)
        self.concentration: Tensor = floating(op, "concentration", concentration)
        super().__init__(self.concentration.shape, (self.dim, self.dim), validate_args)

    support: Constraint = constraints.corr_cholesky

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        like = self.concentration
        with no_grad():
            place = _engine.arange(self.dim, dtype=like.dtype, device=like.device)
            before = (place - 1).clamp(min=0)
            marginal = like.unsqueeze(-1) + 0.5 * (self.dim - 2) - 0.5 * before
            # How much of each row, of length 1, lies before its diagonal; and in which direction.
            share = Beta(before + 0.5, marginal, validate_args=False).sample(
                sizes[: -2 - like.ndim]
            )
            drawn = _engine.randn(sizes, dtype=like.dtype, device=like.device).tril(-1)
            length = drawn.square().sum(-1, keepdim=True).sqrt()
            direction = drawn / where(length == 0, 1.0, length)
            below = share.unsqueeze(-1).sqrt() * direction
            rest = (1 - below.square().sum(-1)).clamp(min=finfo(like.dtype).tiny)
            return below + rest.sqrt().diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        given, c, rows = self._checked(value), self.concentration, self.dim - 1
        diagonal = given.diagonal(dim1=-2, dim2=-1)[..., 1:]
        place = _engine.arange(2, self.dim + 1, dtype=c.dtype, device=c.device)
        powers = 2 * (c - 1).unsqueeze(-1) + self.dim - place
        alpha = c + 0.5 * rows
        normalizer = 0.5 * rows * log(pi) + mvlgamma(alpha - 0.5, rows) - alpha.lgamma() * rows
        return (powers * diagonal.log()).sum(-1) - normalizer
