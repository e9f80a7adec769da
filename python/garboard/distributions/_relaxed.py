"""Draws that are nearly discrete, through which gradients pass.

Maddison, Mnih, Teh, "The concrete distribution" (arXiv:1611.00712); Jang, Gu, Poole, "Categorical
reparameterization with Gumbel-softmax" (arXiv:1611.01144).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from garboard import _engine
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor
from garboard._ops.dtypes import finfo
from garboard.distributions import constraints
from garboard.distributions._classes import Categorical, _OfClasses
from garboard.distributions._counts import _OfOdds
from garboard.distributions._lines import waiting_times
from garboard.distributions._made import TransformedDistribution
from garboard.distributions._parameters import floating
from garboard.distributions.constraints import Constraint
from garboard.distributions.transforms import ExpTransform, SigmoidTransform

__all__ = ["RelaxedBernoulli", "RelaxedOneHotCategorical"]


class _LogitRelaxedBernoulli(_OfOdds):
    """The logarithms of the odds of a relaxed Bernoulli number."""

    has_rsample = True

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | float | None,
        logits: Tensor | float | None,
        validate_args: bool | None,
    ) -> None:
        self.temperature: Tensor = floating("RelaxedBernoulli", "temperature", temperature)
        self._start(probs, logits, validate_args)

    @property
    def _name(self) -> str:
        return "RelaxedBernoulli"

    support: Constraint = constraints.real

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        logits = self.logits
        with no_grad():
            sizes = self._extended_shape(sample_shape)
            uniform = _engine.rand(sizes, dtype=logits.dtype, device=logits.device)
            margin = finfo(logits.dtype).eps
            inside = uniform.clamp(margin, 1 - margin)
            noise = inside.log() - (-inside).log1p()
        return (logits + noise) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        apart = self.logits - self._checked(value) * self.temperature
        return self.temperature.log() + apart - 2 * _engine._softplus(apart)


class RelaxedBernoulli(TransformedDistribution):
    """Numbers of (0, 1), nearly 0 or 1 at a low temperature, through which gradients pass.

    Args:
        temperature: Above 0: a tensor without dims, or a number.
        probs: The probabilities of 1: a tensor, or a number.
        logits: ln(probs / (1 - probs)), instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, or a probability out of [0, 1].

    >>> gb.distributions.RelaxedBernoulli(0.5, 0.5).log_prob(gb.tensor(0.5))
    tensor(-0.6931)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = _LogitRelaxedBernoulli.arg_constraints
    base_dist: _LogitRelaxedBernoulli

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = _LogitRelaxedBernoulli(temperature, probs, logits, validate_args)
        super().__init__(base, SigmoidTransform(), validate_args)

    support: Constraint = constraints.unit_interval

    @property
    def temperature(self) -> Tensor:
        """How far draws are from 0 and 1."""
        return self.base_dist.temperature

    @property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        return self.base_dist.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of their odds."""
        return self.base_dist.logits


class _ExpRelaxedCategorical(_OfClasses):
    """The logarithms of a relaxed row with one 1."""

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = Categorical.arg_constraints

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | None,
        logits: Tensor | None,
        validate_args: bool | None,
    ) -> None:
        self.temperature: Tensor = floating("RelaxedOneHotCategorical", "temperature", temperature)
        self._start(probs, logits, True, validate_args)

    @property
    def _name(self) -> str:
        return "RelaxedOneHotCategorical"

    support: Constraint = constraints.real_vector

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        logits = self.logits
        gumbel = -waiting_times(logits, self._extended_shape(sample_shape)).log()
        return _engine.log_softmax((logits + gumbel) / self.temperature, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        count = float(self.event_shape[0])
        apart = self.logits - self._checked(value) * self.temperature
        score = _engine.log_softmax(apart, -1).sum(-1)
        size = _engine.tensor(count, dtype=score.dtype, device=score.device)
        return score + size.lgamma() + (count - 1) * self.temperature.log()


class RelaxedOneHotCategorical(TransformedDistribution):
    """Rows that add up to 1, nearly a single 1 at a low temperature; gradients pass through them.

    Args:
        temperature: Above 0: a tensor without dims, or a number.
        probs: [..., classes], not negative; they need not add up to one.
        logits: Logarithms of them, up to a constant, instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, or probabilities that are negative or all 0.
        ShapeError: No dims.

    >>> drawn = gb.distributions.RelaxedOneHotCategorical(0.5, gb.ones(3)).rsample()
    >>> drawn.shape
    (3,)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = _ExpRelaxedCategorical.arg_constraints
    base_dist: _ExpRelaxedCategorical

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = _ExpRelaxedCategorical(temperature, probs, logits, validate_args)
        super().__init__(base, ExpTransform(), validate_args)

    support: Constraint = constraints.simplex

    @property
    def temperature(self) -> Tensor:
        """How far draws are from one 1 among zeros."""
        return self.base_dist.temperature

    @property
    def probs(self) -> Tensor:
        """The probabilities of the classes."""
        return self.base_dist.probs

    @property
    def logits(self) -> Tensor:
        """Their logarithms."""
        return self.base_dist.logits
