"""Distributions: draws, logarithms of probabilities, entropies, divergences."""

import sys
from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths
from garboard.distributions import constraint_registry as constraint_registry
from garboard.distributions import constraints as constraints
from garboard.distributions import kl as kl
from garboard.distributions import transforms as transforms
from garboard.distributions._bounded import ContinuousBernoulli, GeneralizedPareto, VonMises
from garboard.distributions._classes import (
    Categorical,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from garboard.distributions._counts import Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson
from garboard.distributions._distribution import Distribution
from garboard.distributions._exponential_family import ExponentialFamily
from garboard.distributions._gammas import Beta, Chi2, Dirichlet, Gamma, StudentT
from garboard.distributions._lines import Cauchy, Exponential, Gumbel, Laplace, Uniform
from garboard.distributions._made import (
    Independent,
    LogisticNormal,
    LogNormal,
    MixtureSameFamily,
    TransformedDistribution,
)
from garboard.distributions._magnitudes import HalfCauchy, HalfNormal
from garboard.distributions._matrices import LKJCholesky, LowRankMultivariateNormal, Wishart
from garboard.distributions._normal import MultivariateNormal, Normal
from garboard.distributions._relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from garboard.distributions._tails import (
    FisherSnedecor,
    InverseGamma,
    Kumaraswamy,
    Pareto,
    Weibull,
)
from garboard.distributions._torch_factors import OF_A_LOW_RANK, OF_NORMALS
from garboard.distributions.constraint_registry import biject_to, transform_to
from garboard.distributions.kl import kl_divergence, register_kl
from garboard.distributions.transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
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
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "kl_divergence",
    "register_kl",
    "transform_to",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__, ("exp_family", "utils"))

publish_paths(__name__)
vars(sys.modules[f"{__name__}.multivariate_normal"]).update(OF_NORMALS)
vars(sys.modules[f"{__name__}.lowrank_multivariate_normal"]).update(OF_A_LOW_RANK)
