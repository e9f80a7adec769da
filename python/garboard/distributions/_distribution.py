"""What all distributions share."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor
from garboard._engine import _Size as Size
from garboard.distributions._parameters import expanded
from garboard.distributions.constraints import Constraint, is_dependent

__all__ = ["Distribution"]


class Distribution:
    """Base of distributions: a batch of them, each of which draws events.

    Args:
        batch_shape: The sizes of the batch.
        event_shape: The sizes of one draw: none, for a number.
        validate_args: False leaves the checks of parameters and values out, which wait for the
            device; None does as `set_default_validate_args` says.

    Raises:
        ValueError: A parameter is out of its range.

    >>> isinstance(gb.distributions.Normal(0.0, 1.0), gb.distributions.Distribution)
    True
    """

    has_rsample: bool = False
    has_enumerate_support: bool = False
    arg_constraints: ClassVar[dict[str, Constraint]] = {}
    _validate_args: bool = __debug__
    # The tensors that it is made of, and how many dims of each belong to one event.
    _held: ClassVar[dict[str, int]] = {}

    def __init__(
        self,
        batch_shape: Sequence[int] = (),
        event_shape: Sequence[int] = (),
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = check.sizes(self._name, "batch_shape", batch_shape)
        self._event_shape = check.sizes(self._name, "event_shape", event_shape)
        if validate_args is not None:
            self._validate_args = check.flag(self._name, "validate_args", validate_args)
        if self._validate_args:
            for name, allowed in self.arg_constraints.items():
                if isinstance(given := self.__dict__.get(name), Tensor):
                    self._refuse_unless(allowed, name, given)
        super().__init__()  # a subclass may be a Module as well

    @property
    def _name(self) -> str:
        return type(self).__name__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Say whether distributions check what they are given where nothing else is said.

        Args:
            value: True or False.

        >>> gb.distributions.Distribution.set_default_validate_args(True)
        """
        Distribution._validate_args = check.flag("set_default_validate_args", "value", value)

    @property
    def batch_shape(self) -> Size:
        """The sizes of the batch."""
        return Size(self._batch_shape)

    @property
    def event_shape(self) -> Size:
        """The sizes of one draw: none, for a number."""
        return Size(self._event_shape)

    @property
    def support(self) -> Constraint:
        """What it may draw."""
        raise self._missing("support")

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise self._missing("mean")

    @property
    def mode(self) -> Tensor:
        """The likeliest value."""
        raise self._missing("mode")

    @property
    def variance(self) -> Tensor:
        """The mean square of the distance from the mean."""
        raise self._missing("variance")

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        """Make the same distribution of a larger batch, whose parameters share their storage.

        Args:
            batch_shape: Sizes that this batch broadcasts to.

        Returns:
            A new distribution.

        Raises:
            ShapeError: The batch does not broadcast to them.
            NotImplementedError: The class does not say what it is made of, or a subclass has an
                `__init__` of its own and no `expand`.

        >>> gb.distributions.Normal(0.0, 1.0).expand((3,)).batch_shape
        (3,)
        """
        sizes = check.sizes(f"{self._name}.expand", "batch_shape", batch_shape)
        if not self._held:
            raise self._missing("expand()")
        made = self._copied(_instance)
        for name, dims in self._held.items():
            held = self.__dict__.get(name)
            if held is not None:
                events = held.shape[held.ndim - dims :]
                made.__dict__[name] = expanded(held, (*sizes, *events))
        made._batch_shape = sizes
        return made

    def _copied(self, instance: Self | None) -> Self:
        """A copy; or what `expand` of a subclass has made, with what that has not set."""
        if instance is None:
            maker = next(it for it in type(self).__mro__ if "__init__" in vars(it))
            if not maker.__module__.startswith("garboard."):
                raise self._refused_expand()
            return copy.copy(self)
        for name, value in vars(self).items():
            vars(instance).setdefault(name, value)
        return instance

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        given = check.sizes(self._name, "sample_shape", sample_shape)
        return Size((*given, *self._batch_shape, *self._event_shape))

    def _refused_expand(self) -> NotImplementedError:
        return NotImplementedError(
            f"{self._name}: an __init__ of its own; with that it needs an expand() of its own, for "
            "what else it holds"
        )

    def _missing(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{self._name}: no {what} of this distribution")

    def _refuse_unless(self, allowed: Constraint, name: str, given: Tensor) -> None:
        """Raise ValueError where a value is not of a set, and name the first that is not."""
        if is_dependent(allowed):
            return
        if given.ndim < allowed.event_dim:
            raise ShapeError(
                f"{self._name}: {name} has sizes {list(given.shape)}; {allowed.event_dim} dims or "
                "more are needed"
            )
        with no_grad(), _engine.DisposeScope("check"):
            is_right = allowed.check(given)
            if bool(is_right.all()):
                return
            told = "holds what is none"
            if allowed.event_dim == 0:
                wrong = given.expand(is_right.shape)[~is_right]
                told = f"holds {wrong[0].item():g}"
        # by these words samplers tell a draw outside of what is allowed from other errors
        kind = allowed._told_name
        ends = (
            f"within the support ({kind}())"
            if name == "value"
            else f"to satisfy the constraint {kind}()"
        )
        raise ValueError(f"{self._name}: {name} {told}; {allowed.needed} are needed {ends}")

    def _checked(self, value: Tensor) -> Tensor:
        """A value that it might have drawn; a number, too, where nothing is checked."""
        if not self._validate_args and isinstance(value, (int, float)):
            like = next((it for it in vars(self).values() if isinstance(it, Tensor)), None)
            return _engine.tensor(value) if like is None else like.new_full((), value)
        given = check.tensor(self._name, "value", value)
        events = len(self._event_shape)
        if given.ndim < events or given.shape[given.ndim - events :] != self._event_shape:
            raise ShapeError(
                f"{self._name}: a value of sizes {list(given.shape)}; its last must be "
                f"{list(self._event_shape)}"
            )
        if self._validate_args:
            try:
                allowed = self.support
            except NotImplementedError:
                return given
            self._refuse_unless(allowed, "value", given)
        return given

    def _validate_sample(self, value: Tensor) -> None:
        """Under PyTorch's name, for `log_prob` of a user's own."""
        self._checked(value)

    def _get_checked_instance(self, cls: type, _instance: Distribution | None = None) -> Any:
        """A blank one of the same class, for `expand` of a user's own, as PyTorch's are written."""
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise self._refused_expand()
        return type(self).__new__(type(self)) if _instance is None else _instance

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw so that gradients pass to the parameters.

        Args:
            sample_shape: How many batches are drawn.

        Returns:
            A new tensor [*sample_shape, *batch_shape, *event_shape].

        Raises:
            NotImplementedError: Draws of this distribution have no gradient.

        >>> gb.distributions.Normal(gb.zeros(3), gb.ones(3)).rsample((2,)).shape
        (2, 3)
        """
        raise self._missing("rsample()")

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw.

        Args:
            sample_shape: How many batches are drawn.

        Returns:
            A new tensor [*sample_shape, *batch_shape, *event_shape], without gradient.

        Raises:
            ShapeError: A negative size.

        >>> gb.distributions.Bernoulli(1.0).sample((2,)).tolist()
        [1.0, 1.0]
        """
        with no_grad():
            return self.rsample(sample_shape)

    def sample_n(self, n: int) -> Tensor:
        """Draw `n` batches: `sample((n,))`, under the older name.

        Args:
            n: How many batches are drawn.

        Returns:
            A new tensor [n, *batch_shape, *event_shape], without gradient.

        Raises:
            ShapeError: A negative number.

        >>> gb.distributions.Bernoulli(1.0).sample_n(2).tolist()
        [1.0, 1.0]
        """
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """Compute the logarithm of the probability, or of its density.

        Args:
            value: A tensor whose sizes broadcast with the batch's and the event's.

        Returns:
            A new tensor.

        Raises:
            ValueError: A value that is never drawn, unless `validate_args` is False.
            ShapeError: Sizes that do not fit.
            NotImplementedError: The distribution has none.

        >>> gb.distributions.Normal(0.0, 1.0).log_prob(gb.tensor(0.0))
        tensor(-0.9189)
        """
        raise self._missing("log_prob()")

    def cdf(self, value: Tensor) -> Tensor:
        """Compute the probability of drawing at most `value`.

        Args:
            value: A tensor whose sizes broadcast with the batch's.

        Returns:
            A new tensor.

        Raises:
            ValueError: A value that is never drawn, unless `validate_args` is False.
            NotImplementedError: The distribution has none.

        >>> gb.distributions.Uniform(0.0, 4.0).cdf(gb.tensor(1.0))
        tensor(0.2500)
        """
        raise self._missing("cdf()")

    def icdf(self, value: Tensor) -> Tensor:
        """Compute what is exceeded with probability 1 - `value`: the inverse of `cdf`.

        Args:
            value: Probabilities whose sizes broadcast with the batch's.

        Returns:
            A new tensor.

        Raises:
            NotImplementedError: The distribution has none.

        >>> gb.distributions.Uniform(0.0, 4.0).icdf(gb.tensor(0.25))
        tensor(1.)
        """
        raise self._missing("icdf()")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """List all values that may be drawn.

        Args:
            expand: False leaves the batch's dims at size 1.

        Returns:
            A new tensor [values, *batch_shape, *event_shape].

        Raises:
            NotImplementedError: They are not finitely many.

        >>> gb.distributions.Bernoulli(0.5).enumerate_support()
        tensor([0., 1.])
        """
        raise self._missing("enumerate_support()")

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        ones = (1,) * len(self._batch_shape)
        listed = values.view(len(values), *ones, *self._event_shape)
        return listed.expand((-1, *self._batch_shape, *self._event_shape)) if expand else listed

    def entropy(self) -> Tensor:
        """Compute the entropy, in nats.

        Returns:
            A new tensor of the batch's sizes.

        Raises:
            NotImplementedError: The distribution has none.

        >>> gb.distributions.Categorical(logits=gb.zeros(2)).entropy()
        tensor(0.6931)
        """
        raise self._missing("entropy()")

    def perplexity(self) -> Tensor:
        """Compute e to the power of the entropy.

        Returns:
            A new tensor of the batch's sizes.

        >>> gb.distributions.Categorical(logits=gb.zeros(2)).perplexity()
        tensor(2.)
        """
        return self.entropy().exp()

    @property
    def _told_names(self) -> tuple[str, ...]:
        """The parameters that its text tells."""
        return tuple(self.arg_constraints)

    def __repr__(self) -> str:
        told = []
        for name in self._told_names:
            held = getattr(self, name, None)
            if isinstance(held, (int, float)):
                told.append(f"{name}: {float(held)}")
            elif isinstance(held, Tensor):
                is_short = held.numel() == 1 and not held.is_disposed
                told.append(f"{name}: {held if is_short else f'Size({list(held.shape)})'}")
        return f"{self._name}({', '.join(told)})"
