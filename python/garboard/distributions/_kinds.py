"""The distributions: of numbers, of two outcomes, of classes."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi

from garboard import _check as check
from garboard import _engine
from garboard._engine import Tensor, where
from garboard._grad_mode import no_grad
from garboard.distributions._distribution import Distribution
from garboard.nn.functional._softplus import softplus_of

__all__ = ["Bernoulli", "Categorical", "Normal", "kl_divergence"]


def _parameter(op: str, name: str, given: Tensor | float) -> Tensor:
    if isinstance(given, Tensor):
        return given
    return _engine.tensor(check.worth(op, name, given), dtype=_engine.float32)


def _one_of(op: str, probs: object, logits: object) -> None:
    if (probs is None) == (logits is None):
        raise ValueError(f"{op}: probs and logits; one of them is needed")


def _refuse_unless(is_right: Tensor, op: str, needed: str) -> None:
    with no_grad(), _engine.DisposeScope("check"):
        if not bool(is_right.all()):
            raise ValueError(f"{op}: {needed}")


class Normal(Distribution):
    """Numbers around `loc` with deviation `scale`.

    Args:
        loc: The means: a tensor, or a number.
        scale: The deviations, above 0; the sizes broadcast.
        validate_args: False leaves the check out, which waits for the device.

    Raises:
        ValueError: A scale that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> normal = gb.distributions.Normal(gb.zeros(2), 1.0)
    >>> normal.log_prob(gb.tensor([0.0, 1.0]))
    tensor([-0.9189, -1.4189])
    """

    has_rsample = True

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        mean, spread = _parameter("Normal", "loc", loc), _parameter("Normal", "scale", scale)
        shape = (mean.detach() + spread.detach()).shape
        self.loc: Tensor = mean.expand(shape)
        self.scale: Tensor = spread.expand(shape)
        super().__init__(shape)
        if validate_args is not False:
            _refuse_unless(spread.detach() > 0, "Normal", "a scale above 0 is needed")

    @property
    def mean(self) -> Tensor:
        """The means."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """The deviations."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The squares of the deviations."""
        return self.scale.square()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._sizes(sample_shape)
        drawn = _engine.randn(sizes, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + self.scale * drawn

    def log_prob(self, value: Tensor) -> Tensor:
        return -(
            (value - self.loc).square() / (2 * self.scale.square())
            + self.scale.log()
            + 0.5 * log(2 * pi)
        )

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * log(2 * pi) + self.scale.log()


class Bernoulli(Distribution):
    """1 with probability `probs`, else 0.

    Args:
        probs: The probabilities: a tensor, or a number.
        logits: ln(probs / (1 - probs)), instead.
        validate_args: False leaves the check out, which waits for the device.

    Raises:
        ValueError: Both or neither, or a probability out of [0, 1].

    >>> gb.distributions.Bernoulli(logits=gb.zeros(1)).log_prob(gb.ones(1))
    tensor([-0.6931])
    """

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ) -> None:
        _one_of("Bernoulli", probs, logits)
        self.probs: Tensor
        self.logits: Tensor
        if probs is not None:
            self.probs = _parameter("Bernoulli", "probs", probs)
            if validate_args is not False:
                held = self.probs.detach()
                _refuse_unless(
                    (held >= 0) & (held <= 1), "Bernoulli", "probabilities in [0, 1] are needed"
                )
            inside = self.probs.clamp(2.0**-23, 1 - 2.0**-23)
            self.logits = (inside / (1 - inside)).log()
        elif logits is not None:
            self.logits = _parameter("Bernoulli", "logits", logits)
            self.probs = self.logits.sigmoid()
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """The probabilities."""
        return self.probs

    @property
    def variance(self) -> Tensor:
        """probs * (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        held = self.probs.detach()
        drawn = _engine.rand(self._sizes(sample_shape), dtype=held.dtype, device=held.device)
        return (drawn < held).to(held.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        return -((1 - value) * self.logits + softplus_of(-self.logits))

    def entropy(self) -> Tensor:
        return (1 - self.probs) * self.logits + softplus_of(-self.logits)


class Categorical(Distribution):
    """Classes, each as likely as its probability along the last dim says.

    Args:
        probs: [..., classes], not negative; they need not add up to one.
        logits: Logarithms of them, up to a constant, instead.
        validate_args: False leaves the check out, which waits for the device.

    Raises:
        ValueError: Both or neither, or probabilities that are negative or all 0.
        ShapeError: No dims.

    >>> policy = gb.distributions.Categorical(logits=gb.tensor([0.0, 0.0]))
    >>> policy.log_prob(gb.tensor(1))
    tensor(-0.6931)
    """

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        op = "Categorical"
        _one_of(op, probs, logits)
        given = check.tensor(op, "probs or logits", probs if logits is None else logits)
        if given.ndim < 1:
            raise _engine.ShapeError(f"{op}: a tensor without dims; [..., classes] is needed")
        self.probs: Tensor
        self.logits: Tensor
        if logits is None:
            total = given.sum(-1, keepdim=True)
            if validate_args is not False:
                held, whole = given.detach(), total.detach()
                _refuse_unless(held >= 0, op, "probabilities that are not negative are needed")
                _refuse_unless(whole > 0, op, "probabilities that are not all 0 are needed")
            self.probs = given / total
            self.logits = self.probs.clamp(2.0**-126, 1.0).log()
        else:
            self.logits = _engine.log_softmax(given, -1)
            self.probs = self.logits.exp()
        super().__init__(given.shape[:-1])

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        held = self.probs.detach()
        sizes = self._sizes(sample_shape)
        drawn = _engine.rand((*sizes, 1), dtype=_engine.float64, device=held.device)
        ends = held.to(_engine.float64).cumsum(-1)
        last = (held > 0).long() * _engine.arange(held.shape[-1], device=held.device)
        found = (drawn * ends[..., -1:] >= ends).long().sum(-1)
        return _engine.minimum(found, last.amax(-1))

    def log_prob(self, value: Tensor) -> Tensor:
        classes = _engine.arange(self.logits.shape[-1], device=self.logits.device)
        chosen = check.tensor("Categorical", "value", value).unsqueeze(-1) == classes
        return where(chosen, self.logits, 0.0).sum(-1)

    def entropy(self) -> Tensor:
        return -(self.probs * self.logits).sum(-1)


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Compute how far one distribution is from another of its kind, in nats.

    Args:
        p: A distribution.
        q: Another of the same class.

    Returns:
        A new tensor of the batch's sizes.

    Raises:
        NotImplementedError: Two kinds, or one without a formula.

    >>> from garboard.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
    tensor(0.5000)
    """
    if isinstance(p, Normal) and isinstance(q, Normal):
        ratio = (p.scale / q.scale).square()
        apart = ((p.loc - q.loc) / q.scale).square()
        return 0.5 * (ratio + apart - 1 - ratio.log())
    if isinstance(p, Categorical) and isinstance(q, Categorical):
        return (p.probs * (p.logits - q.logits)).sum(-1)
    if isinstance(p, Bernoulli) and isinstance(q, Bernoulli):
        yes = p.probs * (softplus_of(-q.logits) - softplus_of(-p.logits))
        no = (1 - p.probs) * (softplus_of(q.logits) - softplus_of(p.logits))
        return yes + no
    raise NotImplementedError(
        f"kl_divergence: {type(p).__name__} and {type(q).__name__}; two of Normal, Bernoulli or "
        "Categorical are needed"
    )
