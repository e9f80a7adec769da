"""Distributions: draws, logarithms of probabilities, entropies, divergences."""

from typing import TYPE_CHECKING

from garboard._missing import module_getattr
from garboard.distributions._distribution import Distribution
from garboard.distributions._kinds import Bernoulli, Categorical, Normal, kl_divergence

__all__ = ["Bernoulli", "Categorical", "Distribution", "Normal", "kl_divergence"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
