"""Exponential families: entropy and divergence from the logarithm of the normalizer alone."""

from __future__ import annotations

from math import prod

from garboard._contexts.grad_mode import enable_grad
from garboard._engine import Tensor, is_grad_enabled
from garboard.autograd._passes import grad
from garboard.distributions._distribution import Distribution

__all__ = ["ExponentialFamily", "family_divergence"]


class ExponentialFamily(Distribution):
    """Base of distributions with the density exp(<t(x), theta> - F(theta) + k(x)).

    A subclass says its natural parameters theta (`_natural_params`, a tuple of tensors), F
    (`_log_normalizer`, a function of them) and the mean of k (`_mean_carrier_measure`). Entropy,
    and the divergence of two of one class, follow by differentiating F (Nielsen and Nock,
    "Entropies and cross-entropies of exponential families", ICIP 2010). The distributions that are
    there have formulas of their own, and are no subclasses.

    Args:
        batch_shape: The sizes of the batch.
        event_shape: The sizes of one draw: none, for a number.
        validate_args: False leaves the checks of parameters and values out.

    >>> class Waiting(gb.distributions.ExponentialFamily):
    ...     def __init__(self, rate):
    ...         self.rate = rate
    ...         super().__init__(rate.shape)
    ...
    ...     @property
    ...     def _mean_carrier_measure(self):
    ...         return 0.0
    ...
    ...     @property
    ...     def _natural_params(self):
    ...         return (-self.rate,)
    ...
    ...     def _log_normalizer(self, *natural):
    ...         return -(-natural[0]).log()
    >>> Waiting(gb.tensor([1.0])).entropy()
    tensor([1.])
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise self._missing("_natural_params")

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise self._missing("_log_normalizer()")

    @property
    def _mean_carrier_measure(self) -> Tensor | float:
        raise self._missing("_mean_carrier_measure")

    def entropy(self) -> Tensor:
        natural, normalizer, slopes = _differentiated(self)
        entropy = normalizer - self._mean_carrier_measure
        for parameter, slope in zip(natural, slopes, strict=True):
            entropy = entropy - _summed(parameter * slope, self.batch_shape)
        return entropy


def _differentiated(
    family: ExponentialFamily,
) -> tuple[tuple[Tensor, ...], Tensor, tuple[Tensor, ...]]:
    """Return the natural parameters, F of them and its slopes, recorded if the parameters are."""
    natural = family._natural_params
    is_recorded = is_grad_enabled() and any(it.requires_grad for it in natural)
    with enable_grad():
        probes = [it if is_recorded and it.requires_grad else _leaf_of(it) for it in natural]
        normalizer = family._log_normalizer(*probes)
        slopes = grad(normalizer.sum(), probes, create_graph=is_recorded, retain_graph=is_recorded)
    return natural, normalizer if is_recorded else normalizer.detach(), slopes


def _leaf_of(tensor: Tensor) -> Tensor:
    return tensor.detach().requires_grad_()


def _summed(term: Tensor, batch: tuple[int, ...]) -> Tensor:
    """Add up what belongs to one distribution of a batch."""
    return term.reshape(*batch, term.numel() // max(prod(batch), 1)).sum(-1)


def family_divergence(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """Return the Bregman divergence of F between the parameters of two of one class."""
    if type(p) is not type(q):
        raise NotImplementedError(
            f"kl_divergence: {type(p).__name__} and {type(q).__name__}; two of one class, or a "
            "formula for both are needed, register_kl adds one"
        )
    natural, normalizer, slopes = _differentiated(p)
    divergence = q._log_normalizer(*q._natural_params) - normalizer
    for own, other, slope in zip(natural, q._natural_params, slopes, strict=True):
        term = (other - own) * slope
        dims = tuple(range(term.ndim - len(q.event_shape), term.ndim))
        divergence = divergence - (term.sum(dims) if dims else term)
    return divergence
