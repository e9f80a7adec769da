"""What all distributions share."""

from __future__ import annotations

from collections.abc import Sequence

from garboard import _check as check
from garboard._engine import Tensor
from garboard._grad_mode import no_grad

__all__ = ["Distribution"]


class Distribution:
    """Base of distributions: a batch of them, of the sizes of their parameters.

    Args:
        batch_shape: The sizes of the batch.

    >>> isinstance(gb.distributions.Normal(0.0, 1.0), gb.distributions.Distribution)
    True
    """

    has_rsample: bool = False

    def __init__(self, batch_shape: Sequence[int]) -> None:
        self._batch_shape = check.sizes(type(self).__name__, "batch_shape", batch_shape)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The sizes of the batch."""
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The sizes of one draw: none, for a number."""
        return ()

    def _sizes(self, sample_shape: Sequence[int]) -> tuple[int, ...]:
        given = check.sizes(type(self).__name__, "sample_shape", sample_shape)
        return (*given, *self._batch_shape)

    def _missing(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__}: no {what} of this distribution")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw so that gradients pass to the parameters.

        Args:
            sample_shape: How many batches are drawn.

        Returns:
            A new tensor [*sample_shape, *batch_shape].

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
            A new tensor [*sample_shape, *batch_shape], without gradient.

        Raises:
            ShapeError: A negative size.

        >>> gb.distributions.Bernoulli(1.0).sample((2,)).tolist()
        [1.0, 1.0]
        """
        with no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Compute the logarithm of the probability, or of its density.

        Args:
            value: A tensor whose sizes broadcast with the batch's.

        Returns:
            A new tensor.

        Raises:
            NotImplementedError: The distribution has none.

        >>> gb.distributions.Normal(0.0, 1.0).log_prob(gb.tensor(0.0))
        tensor(-0.9189)
        """
        raise self._missing("log_prob()")

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
