"""Distributions: draws, logarithms of probabilities, entropies, divergences."""

from typing import TYPE_CHECKING

from garboard._missing import module_getattr
from garboard.distributions import constraints as constraints
from garboard.distributions import kl as kl
from garboard.distributions import transforms as transforms
from garboard.distributions._classes import (
    Categorical,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from garboard.distributions._counts import Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson
from garboard.distributions._distribution import Distribution
from garboard.distributions._gammas import Beta, Chi2, Dirichlet, Gamma, StudentT
from garboard.distributions._lines import Cauchy, Exponential, Gumbel, Laplace, Uniform
from garboard.distributions._made import (
    Independent,
    LogNormal,
    MixtureSameFamily,
    TransformedDistribution,
)
from garboard.distributions._normal import HalfNormal, MultivariateNormal, Normal
from garboard.distributions._relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from garboard.distributions._tails import (
    FisherSnedecor,
    HalfCauchy,
    InverseGamma,
    Kumaraswamy,
    Pareto,
    Weibull,
)
from garboard.distributions.kl import kl_divergence, register_kl
from garboard.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    IndependentTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
)
from garboard.distributions.transforms import (
    identity_transform as identity_transform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "FisherSnedecor",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "Laplace",
    "LogNormal",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "Weibull",
    "kl_divergence",
    "register_kl",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
