"""Distributions over classes: one drawn by its number, one as a row, several counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor
from garboard._ops.dtypes import finfo
from garboard._ops.functions import broadcast_shapes
from garboard.distributions import constraints
from garboard.distributions._distribution import Distribution
from garboard.distributions._parameters import (
    classes_of,
    hand_over,
    log_of_classes,
    probs_of_classes,
)
from garboard.distributions.constraints import Constraint

__all__ = ["Categorical", "Multinomial", "OneHotCategorical", "OneHotCategoricalStraightThrough"]


class _NotNegative(Constraint):
    event_dim = 1

    def _test(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) > 0)

    @property
    def needed(self) -> str:
        return "probabilities that are not negative, and not all 0,"


class _OfClasses(Distribution):
    """Probabilities along the last dim; the one that was given is kept, scaled to add up to 1."""

    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    _held: ClassVar[dict[str, int]] = {"_probs": 1, "_logits": 1}
    _probs: Tensor | None
    _logits: Tensor | None

    def _start(
        self, probs: object, logits: object, has_events: bool, validate_args: bool | None
    ) -> None:
        self._probs, self._logits = classes_of(self._name, probs, logits)
        given = self._probs if self._logits is None else self._logits
        assert given is not None
        super().__init__(given.shape[:-1], given.shape[-1:] if has_events else (), validate_args)
        if self._validate_args:
            if self._probs is None:
                self._refuse_unless(constraints.real_vector, "logits", given)
            else:
                self._refuse_unless(_NotNegative(), "probs", given)
        if self._probs is not None:
            self._probs = self._probs / self._probs.sum(-1, keepdim=True)
        hand_over(self, _OfClasses)

    @property
    def probs(self) -> Tensor:
        """The probabilities, [..., classes]; they add up to 1."""
        if self._probs is not None:
            return self._probs
        assert self._logits is not None
        return probs_of_classes(self._logits)

    @probs.setter
    def probs(self, given: Tensor) -> None:
        self._probs = given

    @property
    def logits(self) -> Tensor:
        """Their logarithms, which are finite where probabilities were given."""
        if self._logits is not None:
            return self._logits
        assert self._probs is not None
        return log_of_classes(self._probs)

    @logits.setter
    def logits(self, given: Tensor) -> None:
        self._logits = given

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The sizes of `probs`."""
        given = self._probs if self._logits is None else self._logits
        assert given is not None
        return given.shape

    @property
    def _class_count(self) -> int:
        return self.param_shape[-1]

    def _drawn(self, sample_shape: Sequence[int]) -> Tensor:
        """Numbers of classes, [*sample_shape, *batch_shape]."""
        given = check.sizes(self._name, "sample_shape", sample_shape)
        with no_grad():
            rows = self.probs.detach().reshape(-1, self._class_count)
            count = 1
            for size in given:
                count *= size
            if not count or not len(rows):
                return _engine.zeros(
                    (*given, *self.batch_shape), dtype=_engine.int64, device=rows.device
                )
            found = _engine.multinomial(rows, count, replacement=True)
            return found.T.reshape(*given, *self.batch_shape)

    def entropy(self) -> Tensor:
        logits = self.logits
        finite = logits.clamp(min=finfo(logits.dtype).min)
        return -(self.probs * finite).sum(-1)

    @property
    def _told_names(self) -> tuple[str, ...]:
        other = "logits" if self._logits is None else "probs"
        return tuple(name for name in self.arg_constraints if name != other)


class Categorical(_OfClasses):
    """Classes, each as likely as its probability along the last dim says.

    Args:
        probs: [..., classes], not negative; they need not add up to one.
        logits: Logarithms of them, up to a constant, instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, or probabilities that are negative or all 0.
        ShapeError: No dims.

    >>> policy = gb.distributions.Categorical(logits=gb.tensor([0.0, 0.0]))
    >>> policy.log_prob(gb.tensor(1))
    tensor(-0.6931)
    """

    has_enumerate_support = True

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._start(probs, logits, False, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Constraint:
        return constraints.integer_interval(0, self._class_count - 1)

    @property
    def mean(self) -> Tensor:
        """NaN: classes have no mean."""
        return self.probs[..., 0] * float("nan")

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(-1)

    @property
    def variance(self) -> Tensor:
        return self.mean

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._drawn(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        chosen = self._checked(value).long()
        logits = self.logits
        sizes = broadcast_shapes(chosen.shape, logits.shape[:-1])
        rows = logits.expand((*sizes, logits.shape[-1]))
        return rows.gather(-1, chosen.expand(sizes).unsqueeze(-1)).squeeze(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._enumerated(_engine.arange(self._class_count, device=self.probs.device), expand)


class OneHotCategorical(_OfClasses):
    """Classes like `Categorical`'s, each drawn as a row with one 1.

    Args:
        probs: [..., classes], not negative; they need not add up to one.
        logits: Logarithms of them, up to a constant, instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, or probabilities that are negative or all 0.
        ShapeError: No dims.

    >>> gb.distributions.OneHotCategorical(gb.tensor([0.0, 1.0])).sample()
    tensor([0., 1.])
    """

    has_enumerate_support = True

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._start(probs, logits, True, validate_args)

    support: Constraint = constraints.one_hot

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        return self._row_of(self.probs.argmax(-1))

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def _row_of(self, drawn: Tensor) -> Tensor:
        classes = _engine.arange(self._class_count, device=drawn.device)
        given = self._probs if self._logits is None else self._logits
        assert given is not None
        return (drawn.unsqueeze(-1) == classes).to(given.dtype)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._row_of(self._drawn(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        value, logits = _engine.broadcast_tensors(self._checked(value), self.logits)
        return logits.gather(-1, value.argmax(-1, keepdim=True)).squeeze(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        probs = self.probs
        rows = _engine.eye(self._class_count, dtype=probs.dtype, device=probs.device)
        return self._enumerated(rows, expand)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """Rows with one 1, through which gradients pass as if they were the probabilities.

    Bengio, Leonard, Courville, "Estimating or propagating gradients through stochastic neurons for
    conditional computation" (arXiv:1308.3432).

    Args:
        probs: [..., classes], not negative; they need not add up to one.
        logits: Logarithms of them, up to a constant, instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, or probabilities that are negative or all 0.
        ShapeError: No dims.

    >>> logits = gb.zeros(3, requires_grad=True)
    >>> gb.distributions.OneHotCategoricalStraightThrough(logits=logits).rsample().requires_grad
    True
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        probs = self.probs
        return self.sample(sample_shape) + (probs - probs.detach())


class Multinomial(_OfClasses):
    """Counts of how often each class comes in `total_count` draws.

    Args:
        total_count: How many are drawn.
        probs: [..., classes], not negative; they need not add up to one.
        logits: Logarithms of them, up to a constant, instead.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Both or neither, probabilities that are negative or all 0, a negative count.
        ShapeError: No dims.

    >>> gb.distributions.Multinomial(3, gb.tensor([0.0, 1.0])).sample()
    tensor([0., 3.])
    """

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.total_count: int = check.count("Multinomial", "total_count", total_count)
        self._start(probs, logits, True, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Constraint:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        probs = self.probs
        return self.total_count * probs * (1 - probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        given = check.sizes("Multinomial", "sample_shape", sample_shape)
        drawn = self._drawn((self.total_count, *given))
        last = drawn.movedim(0, -1)
        probs = self.probs.detach()
        counts = _engine.zeros(
            (*given, *self.batch_shape, self._class_count), dtype=probs.dtype, device=probs.device
        )
        ones = _engine.ones(last.shape, dtype=probs.dtype, device=probs.device)
        return counts.scatter_add(-1, last, ones)

    def log_prob(self, value: Tensor) -> Tensor:
        counts = self._checked(value)
        ways = (counts.sum(-1) + 1).lgamma() - (counts + 1).lgamma().sum(-1)
        logits = self.logits  # none of a class that never comes is certain
        sure = _engine.where((counts == 0) & (logits == -float("inf")), 0.0, logits)
        return ways + (counts * sure).sum(-1)

    def entropy(self) -> Tensor:
        """Compute the entropy, in nats: from the binomial distribution of each class.

        Returns:
            A new tensor of the batch's sizes.

        >>> gb.distributions.Multinomial(1, gb.ones(2)).entropy()
        tensor(0.6931)
        """
        from garboard.distributions._counts import Binomial

        probs, count = self.probs, float(self.total_count)
        one = _engine.tensor(count, dtype=probs.dtype, device=probs.device)
        binomial = Binomial(self.total_count, probs, validate_args=False)
        found = binomial.enumerate_support(expand=False)[1:]
        weights = binomial.log_prob(found).exp() * (found + 1).lgamma()
        return count * super().entropy() - (one + 1).lgamma() + weights.sum((0, -1))
