"""Distributions of what comes or not, and of how often it comes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, where
from garboard.distributions import constraints
from garboard.distributions._binomial_draws import binomial_draws
from garboard.distributions._distribution import Distribution
from garboard.distributions._gamma_draws import log_gamma_draws
from garboard.distributions._lines import waiting_times
from garboard.distributions._parameters import floating, hand_over, log_of_odds, one_of, together
from garboard.distributions.constraints import Constraint

__all__ = ["Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson"]


class _OfOdds(Distribution):
    """A probability; of it and the logarithm of its odds the one that was given is kept."""

    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    _held: ClassVar[dict[str, int]] = {"_probs": 0, "_logits": 0}
    _probs: Tensor | None
    _logits: Tensor | None

    def _start(self, probs: object, logits: object, validate_args: bool | None) -> None:
        one_of(self._name, probs, logits)
        self._probs = None if probs is None else floating(self._name, "probs", probs)
        self._logits = None if logits is None else floating(self._name, "logits", logits)
        super().__init__(self._given.shape, (), validate_args)
        if self._validate_args:
            name = "logits" if self._probs is None else "probs"
            self._refuse_unless(self.arg_constraints[name], name, self._given)
        hand_over(self, _OfOdds)

    @property
    def _given(self) -> Tensor:
        given = self._probs if self._logits is None else self._logits
        assert given is not None
        return given

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._given.sigmoid() if self._probs is None else self._probs

    @probs.setter
    def probs(self, given: Tensor) -> None:
        self._probs = given

    @property
    def logits(self) -> Tensor:
        """ln(probs / (1 - probs)), which is finite where probabilities were given."""
        return log_of_odds(self._given) if self._logits is None else self._logits

    @logits.setter
    def logits(self, given: Tensor) -> None:
        self._logits = given

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The sizes of `probs`."""
        return self._given.shape

    @property
    def _told_names(self) -> tuple[str, ...]:
        other = "logits" if self._logits is None else "probs"
        return tuple(name for name in self.arg_constraints if name != other)


class Bernoulli(_OfOdds):
    """1 with probability `probs`, else 0.

    Args:
        probs: The probabilities: a tensor, or a number.
        logits: ln(probs / (1 - probs)), instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, or a probability out of [0, 1].

    >>> gb.distributions.Bernoulli(logits=gb.zeros(1)).log_prob(gb.ones(1))
    tensor([-0.6931])
    """

    has_enumerate_support = True

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._start(probs, logits, validate_args)

    support: Constraint = constraints.boolean

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        probs = self.probs
        return where(probs == 0.5, float("nan"), (probs > 0.5).to(probs.dtype))

    @property
    def variance(self) -> Tensor:
        probs = self.probs
        return probs * (1 - probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            probs = self.probs.detach()
            drawn = _engine.rand(
                self._extended_shape(sample_shape), dtype=probs.dtype, device=probs.device
            )
            return (drawn < probs).to(probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        logits = self.logits
        return self._checked(value) * logits - _engine._softplus(logits)

    def entropy(self) -> Tensor:
        logits = self.logits
        return _engine._softplus(logits) - self.probs * logits

    def enumerate_support(self, expand: bool = True) -> Tensor:
        given = self._given
        return self._enumerated(_engine.arange(2, dtype=given.dtype, device=given.device), expand)


class Geometric(_OfOdds):
    """How often one fails before one succeeds with probability `probs`: 0, 1, 2, ...

    Args:
        probs: The probabilities, in (0, 1]: a tensor, or a number.
        logits: ln(probs / (1 - probs)), instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, or a probability out of (0, 1].

    >>> gb.distributions.Geometric(0.25).mean
    tensor(3.)
    """

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._start(probs, logits, validate_args)
        if self._validate_args and self._probs is not None:
            self._refuse_unless(constraints.positive, "probs", self._probs)

    support: Constraint = constraints.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return _engine.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            probs = self.probs.detach()
            waited = waiting_times(probs, self._extended_shape(sample_shape))
            return (waited / -(-probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        given, probs = self._checked(value), self.probs
        is_sure = (probs == 1) & (given == 0)
        left = where(is_sure, 0.0, probs)
        return given * (-left).log1p() + probs.log()

    def entropy(self) -> Tensor:
        logits = self.logits
        return (_engine._softplus(logits) - self.probs * logits) / self.probs


class Binomial(_OfOdds):
    """How often one succeeds in `total_count` trials, with probability `probs` each.

    Drawn exactly, by halving the trials at a beta number (Devroye, "Non-uniform random variate
    generation", 1986, X.4.3), in as many passes as the largest count has digits in base 2.

    Args:
        total_count: How many trials: an integer, or a tensor of them.
        probs: The probabilities: a tensor, or a number; the sizes broadcast.
        logits: ln(probs / (1 - probs)), instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, a probability out of [0, 1], a count that is none.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Binomial(4, gb.tensor([0.0, 0.5, 1.0])).mean
    tensor([0., 2., 4.])
    """

    has_enumerate_support = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "total_count": constraints.nonnegative_integer,
        **_OfOdds.arg_constraints,
    }
    _held: ClassVar[dict[str, int]] = {"total_count": 0, **_OfOdds._held}
    total_count: Tensor

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        one_of("Binomial", probs, logits)
        name = "probs" if logits is None else "logits"
        odds = floating("Binomial", name, probs if logits is None else logits)
        if is_really(total_count, Tensor):
            total_count = total_count.to(odds.dtype)
        self.total_count, given = together("Binomial", **{"total_count": total_count, name: odds})
        if logits is None:
            self._start(given, None, validate_args)
        else:
            self._start(None, given, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Constraint:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        probs = self.probs
        return self.total_count * probs * (1 - probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        with no_grad():
            return binomial_draws(self.total_count.expand(sizes), self.probs.detach().expand(sizes))

    def log_prob(self, value: Tensor) -> Tensor:
        given, logits, count = self._checked(value), self.logits, self.total_count
        ways = (count + 1).lgamma() - (given + 1).lgamma() - (count - given + 1).lgamma()
        return ways + given * logits - count * _engine._softplus(logits)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """List all counts, which needs all trials to be as many.

        Args:
            expand: False leaves the batch's dims at size 1.

        Returns:
            A new tensor [total_count + 1, *batch_shape].

        Raises:
            NotImplementedError: The batch has several counts of trials.

        >>> gb.distributions.Binomial(2, 0.5).enumerate_support()
        tensor([0., 1., 2.])
        """
        given = self._given
        most = self.total_count.max().item()
        if self.total_count.min().item() != most:
            raise NotImplementedError(
                "Binomial: several total counts; one is needed to list what may be drawn"
            )
        values = _engine.arange(int(most) + 1, dtype=given.dtype, device=given.device)
        return self._enumerated(values, expand)

    def entropy(self) -> Tensor:
        """Compute the entropy, in nats: a sum over all counts of as many trials each.

        Returns:
            A new tensor of the batch's sizes.

        Raises:
            NotImplementedError: The batch has several counts of trials.

        >>> gb.distributions.Binomial(1, 0.5).entropy()
        tensor(0.6931)
        """
        known = self.log_prob(self.enumerate_support(expand=False))
        return -(known.exp() * known).sum(0)


class NegativeBinomial(_OfOdds):
    """How many trials succeed until so many have failed.

    Drawn as a Poisson number of a gamma number.

    Args:
        total_count: How many fail, not negative; it need not be whole: a tensor, or a number.
        probs: The probabilities of success, below 1: a tensor, or a number; the sizes broadcast.
        logits: ln(probs / (1 - probs)), instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, a probability out of [0, 1), a negative count.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.NegativeBinomial(3.0, 0.5).mean
    tensor(3.)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "total_count": constraints.nonnegative,
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    _held: ClassVar[dict[str, int]] = {"total_count": 0, **_OfOdds._held}
    total_count: Tensor

    def __init__(
        self,
        total_count: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        one_of("NegativeBinomial", probs, logits)
        name = "probs" if logits is None else "logits"
        odds = floating("NegativeBinomial", name, probs if logits is None else logits)
        if is_really(total_count, Tensor):
            total_count = total_count.to(odds.dtype)
        self.total_count, given = together(
            "NegativeBinomial", **{"total_count": total_count, name: odds}
        )
        if logits is None:
            self._start(given, None, validate_args)
        else:
            self._start(None, given, validate_args)

    support: Constraint = constraints.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        with no_grad():
            counts = self.total_count.detach().expand(sizes)
            rates = (log_gamma_draws(counts) + self.logits.detach()).exp()
            return _engine.poisson(rates.masked_fill(counts == 0, 0).to(self._given.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        given, logits, count = self._checked(value), self.logits, self.total_count
        kept = count * -_engine._softplus(logits) + given * -_engine._softplus(-logits)
        ways = (count + given).lgamma() - (given + 1).lgamma() - count.lgamma()
        return kept + ways.masked_fill(count + given == 0, 0)  # none of none, in one way


class Poisson(Distribution):
    """How often something happens that happens `rate` times on average.

    Args:
        rate: Not negative: a tensor, or a number.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A negative rate.

    >>> gb.distributions.Poisson(2.0).log_prob(gb.tensor(0.0))
    tensor(-2.)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {"rate": constraints.nonnegative}
    _held: ClassVar[dict[str, int]] = {"rate": 0}

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        self.rate: Tensor = floating("Poisson", "rate", rate)
        super().__init__(self.rate.shape, (), validate_args)

    support: Constraint = constraints.nonnegative_integer

    @property
    def mean(self) -> Tensor:
        return self.rate

    @property
    def mode(self) -> Tensor:
        return self.rate.floor()

    @property
    def variance(self) -> Tensor:
        return self.rate

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return _engine.poisson(self.rate.detach().expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        given = check.tensor("Poisson", "value", self._checked(value))
        return _engine.xlogy(given, self.rate) - self.rate - (given + 1).lgamma()
