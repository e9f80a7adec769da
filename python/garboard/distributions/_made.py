"""Distributions made of others: of several at once, of one that is transformed, of a mixture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, cast

from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor
from garboard.distributions import constraints
from garboard.distributions._classes import Categorical
from garboard.distributions._distribution import Distribution
from garboard.distributions._normal import Normal
from garboard.distributions._parameters import event_sum, together
from garboard.distributions.constraints import Constraint
from garboard.distributions.transforms import (
    ComposeTransform,
    ExpTransform,
    StickBreakingTransform,
    Transform,
)

__all__ = [
    "Independent",
    "LogNormal",
    "LogisticNormal",
    "MixtureSameFamily",
    "TransformedDistribution",
]


class Independent(Distribution):
    """A distribution whose last dims of the batch are part of the event.

    Args:
        base_distribution: Any.
        reinterpreted_batch_ndims: How many dims of its batch.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ShapeError: The batch has fewer dims.

    >>> base = gb.distributions.Normal(gb.zeros(2, 3), 1.0)
    >>> gb.distributions.Independent(base, 1).log_prob(gb.zeros(2, 3))
    tensor([-2.7568, -2.7568])
    """

    def __init__(
        self,
        base_distribution: Distribution,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        op = "Independent"
        base = check.of_type(Distribution, op, "base_distribution", base_distribution)
        dims = check.count(op, "reinterpreted_batch_ndims", reinterpreted_batch_ndims)
        if dims > len(base.batch_shape):
            raise ShapeError(
                f"{op}: reinterpreted_batch_ndims {dims} of a batch {list(base.batch_shape)}; at "
                f"most {len(base.batch_shape)} is needed"
            )
        self.base_dist: Distribution = base
        self.reinterpreted_batch_ndims: int = dims
        cut = len(base.batch_shape) - dims
        events = (*base.batch_shape[cut:], *base.event_shape)
        super().__init__(base.batch_shape[:cut], events, validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether gradients pass through draws."""
        return self.base_dist.has_rsample

    @constraints.dependent_property
    def support(self) -> Constraint:
        return constraints.independent(self.base_dist.support, self.reinterpreted_batch_ndims)

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        sizes = check.sizes("Independent.expand", "batch_shape", batch_shape)
        made = self._copied(_instance)
        made.base_dist = self.base_dist.expand(
            (*sizes, *self.event_shape[: self.reinterpreted_batch_ndims])
        )
        made._batch_shape = sizes
        return made

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return event_sum(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return event_sum(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """What becomes of another distribution's draws in invertible transforms.

    Args:
        base_distribution: The other.
        transforms: A transform, or a list of them, in the order of their application.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        TypeError: Something else.
        ShapeError: The other has fewer dims than the transforms take; it is a ValueError.

    >>> from garboard.distributions import Normal, TransformedDistribution
    >>> from garboard.distributions.transforms import ExpTransform
    >>> TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).log_prob(gb.tensor(1.0))
    tensor(-0.9189)
    """

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | Sequence[Transform],
        validate_args: bool | None = None,
    ) -> None:
        op = self._name
        base = check.of_type(Distribution, op, "base_distribution", base_distribution)
        given: Any = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(given, (list, tuple)):
            check.of_type(Transform, op, "transforms", given)
        self.transforms: list[Transform] = [
            check.of_type(Transform, op, f"transforms[{place}]", it)
            for place, it in enumerate(items_of(given))
        ]
        whole = ComposeTransform(self.transforms)
        sizes = base.batch_shape + base.event_shape
        if len(sizes) < whole.domain.event_dim:
            raise ShapeError(
                f"{op}: a base_distribution of sizes {list(sizes)}; {whole.domain.event_dim} dims "
                "or more, which the transforms take, are needed"
            )
        reached = whole.forward_shape(sizes)
        # What a transform mixes belongs to one event.
        inner = whole.inverse_shape(reached)
        if inner != sizes:  # a subclass that has no expand() of its own cannot
            base = base.expand(inner[: len(inner) - len(base.event_shape)])
        more = whole.domain.event_dim - len(base.event_shape)
        self.base_dist: Distribution = Independent(base, more) if more > 0 else base
        change = whole.codomain.event_dim - whole.domain.event_dim
        events = max(whole.codomain.event_dim, len(self.base_dist.event_shape) + change)
        cut = len(reached) - events
        super().__init__(reached[:cut], reached[cut:], validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether gradients pass through draws."""
        return self.base_dist.has_rsample

    @constraints.dependent_property
    def support(self) -> Constraint:
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        more = len(self.event_shape) - found.event_dim
        return constraints.independent(found, more) if more > 0 else found

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        sizes = check.sizes(f"{self._name}.expand", "batch_shape", batch_shape)
        made = self._copied(_instance)
        inner = ComposeTransform(self.transforms).inverse_shape((*sizes, *self.event_shape))
        made.base_dist = self.base_dist.expand(
            inner[: len(inner) - len(self.base_dist.event_shape)]
        )
        made._batch_shape = sizes
        return made

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def _transformed(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        y = self._checked(value)
        events = len(self.event_shape)
        found: Tensor | None = None
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            events += transform.domain.event_dim - transform.codomain.event_dim
            grown = transform.log_abs_det_jacobian(x, y)
            spread = event_sum(grown, events - transform.domain.event_dim)
            found = -spread if found is None else found - spread
            y = x
        base = self.base_dist.log_prob(y)
        base = event_sum(base, events - len(self.base_dist.event_shape))
        return base if found is None else found + base

    def _monotonized(self, share: Tensor) -> Tensor:
        """1 - share where the transforms turn the line around."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return share if isinstance(sign, int) and sign == 1 else sign * (share - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        x = self._checked(value)
        for transform in reversed(self.transforms):
            x = transform.inv(x)
        return self._monotonized(self.base_dist.cdf(x))

    def icdf(self, value: Tensor) -> Tensor:
        share = self._monotonized(check.tensor(self._name, "value", value))
        return self._transformed(self.base_dist.icdf(share))

    def __repr__(self) -> str:
        return f"{self._name}({self.base_dist}, {self.transforms})"


class LogNormal(TransformedDistribution):
    """e to the power of normal numbers.

    Args:
        loc: The means of their logarithms: a tensor, or a number.
        scale: The deviations of those, above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.LogNormal(0.0, 1.0).mean
    tensor(1.6487)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = Normal.arg_constraints
    base_dist: Normal

    support: Constraint = constraints.positive

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        mean, spread = together("LogNormal", loc=loc, scale=scale)
        checks = self._validate_args if validate_args is None else validate_args
        if checks:
            self._refuse_unless(constraints.real, "loc", mean)
            self._refuse_unless(constraints.positive, "scale", spread)
        base = Normal(mean, spread, validate_args=False)
        super().__init__(base, ExpTransform(), validate_args)

    @property
    def loc(self) -> Tensor:
        """The means of the logarithms."""
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The deviations of the logarithms."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.square() / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        squared = self.scale.square()
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc


class LogisticNormal(TransformedDistribution):
    """Rows of n + 1 numbers that add up to 1, of n normal ones by `StickBreakingTransform`.

    Args:
        loc: The means of those, [..., n]; of one alone a number too.
        scale: Their deviations, above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.LogisticNormal(gb.zeros(2), gb.ones(2)).sample((4,)).shape
    (4, 3)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = Normal.arg_constraints

    support: Constraint = constraints.simplex

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        mean, spread = together("LogisticNormal", loc=loc, scale=scale)
        if mean.ndim < 1:
            mean, spread = mean.reshape(1), spread.reshape(1)
        checks = self._validate_args if validate_args is None else validate_args
        if checks:
            self._refuse_unless(constraints.real, "loc", mean)
            self._refuse_unless(constraints.positive, "scale", spread)
        base = Normal(mean, spread, validate_args=False)
        super().__init__(base, StickBreakingTransform(), validate_args)

    @property
    def _normal(self) -> Normal:
        assert isinstance(self.base_dist, Independent)
        return cast("Normal", self.base_dist.base_dist)

    @property
    def loc(self) -> Tensor:
        """The means of the normal numbers."""
        return self._normal.loc

    @property
    def scale(self) -> Tensor:
        """Their deviations."""
        return self._normal.scale


class MixtureSameFamily(Distribution):
    """Draws of several distributions of one kind, each as often as it weighs.

    Args:
        mixture_distribution: The weights, a `Categorical` of n classes, of a batch that broadcasts
            to B.
        component_distribution: A batch [*B, n] of distributions.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ShapeError: The batches do not fit.

    >>> from garboard.distributions import Categorical, MixtureSameFamily, Normal
    >>> two = Normal(gb.tensor([-1.0, 1.0]), 1.0)
    >>> MixtureSameFamily(Categorical(gb.ones(2)), two).log_prob(gb.tensor(0.0))
    tensor(-1.4189)
    """

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        op = "MixtureSameFamily"
        self.mixture_distribution: Categorical = check.of_type(
            Categorical, op, "mixture_distribution", mixture_distribution
        )
        parts = check.of_type(Distribution, op, "component_distribution", component_distribution)
        self.component_distribution: Distribution = parts
        weights = self.mixture_distribution.param_shape
        batch = parts.batch_shape
        rows = zip(reversed(weights[:-1]), reversed(batch[:-1]), strict=False)
        fits = weights[-1:] == batch[-1:] and all(of in (1, size) for of, size in rows)
        if not batch or not fits or len(weights) > len(batch):
            raise ShapeError(
                f"{op}: probabilities {list(weights)} for a batch {list(batch)}; the same sizes, "
                "or such as broadcast to them but for the last, are needed"
            )
        super().__init__(batch[:-1], parts.event_shape, validate_args)

    @constraints.dependent_property
    def support(self) -> Constraint:
        return self.component_distribution.support

    def _weights(self) -> Tensor:
        return self._padded(self.mixture_distribution.probs)

    def _padded(self, x: Tensor) -> Tensor:
        return x.reshape(*x.shape, *(1,) * len(self.event_shape))

    @property
    def _part(self) -> int:
        return -1 - len(self.event_shape)

    @property
    def mean(self) -> Tensor:
        return (self._weights() * self.component_distribution.mean).sum(self._part)

    @property
    def variance(self) -> Tensor:
        weights, parts = self._weights(), self.component_distribution
        within = (weights * parts.variance).sum(self._part)
        apart = (parts.mean - self.mean.unsqueeze(self._part)).square()
        return within + (weights * apart).sum(self._part)

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        sizes = check.sizes("MixtureSameFamily.expand", "batch_shape", batch_shape)
        made = self._copied(_instance)
        parts = self.component_distribution
        made.component_distribution = parts.expand((*sizes, parts.batch_shape[-1]))
        made.mixture_distribution = self.mixture_distribution.expand(sizes)
        made._batch_shape = sizes
        return made

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            given = check.sizes("MixtureSameFamily", "sample_shape", sample_shape)
            events = (1,) * len(self.event_shape)
            weights = self.mixture_distribution.expand(self.batch_shape)
            chosen = weights.sample(given).reshape(*given, *self.batch_shape, 1, *events)
            drawn = self.component_distribution.sample(given)
            chosen = chosen.expand((*given, *self.batch_shape, 1, *self.event_shape))
            return drawn.gather(self._part, chosen).squeeze(self._part)

    def log_prob(self, value: Tensor) -> Tensor:
        given = self._checked(value).unsqueeze(self._part)
        known = self.component_distribution.log_prob(given)
        return (known + self.mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def cdf(self, value: Tensor) -> Tensor:
        given = self._checked(value).unsqueeze(self._part)
        return (self.component_distribution.cdf(given) * self.mixture_distribution.probs).sum(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamily({self.mixture_distribution}, {self.component_distribution})"
