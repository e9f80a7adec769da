"""Transforms of pieces, and by the shares of a distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import list_of
from garboard._engine import Tensor
from garboard.distributions import constraints
from garboard.distributions._parameters import event_sum
from garboard.distributions._transform import Transform
from garboard.distributions.constraints import Constraint

if TYPE_CHECKING:
    from garboard.distributions._distribution import Distribution

__all__ = ["CatTransform", "CumulativeDistributionTransform", "StackTransform"]


class CumulativeDistributionTransform(Transform):
    """The share of a distribution that lies below, by its `cdf`; the inverse is its `icdf`.

    Args:
        distribution: One of numbers.
        cache_size: 1 keeps the last pair of input and result.

    >>> from garboard.distributions import Normal
    >>> transforms = gb.distributions.transforms
    >>> transforms.CumulativeDistributionTransform(Normal(0.0, 1.0))(gb.tensor(0.0))
    tensor(0.5000)
    """

    codomain: Constraint = constraints.unit_interval
    bijective: bool = True
    sign = 1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        from garboard.distributions._distribution import Distribution

        op = "CumulativeDistributionTransform"
        self.distribution: Distribution = check.of_type(
            Distribution, op, "distribution", distribution
        )
        self.domain: Constraint = self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)


class CatTransform(Transform):
    """Transforms of pieces along a dim.

    Args:
        tseq: The transforms.
        dim: The dim.
        lengths: How long each piece is; 1, where it is left out.
        cache_size: 1 lets each keep its last pair of input and result.

    Raises:
        ValueError: No transforms, or more or fewer lengths.
        TypeError: Something else.

    >>> transforms = gb.distributions.transforms
    >>> both = [transforms.ExpTransform(), transforms.AffineTransform(0.0, 2.0)]
    >>> transforms.CatTransform(both)(gb.tensor([0.0, 3.0]))
    tensor([1., 6.])
    """

    _compared = ("transforms", "dim", "lengths")

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(cache_size)
        self.transforms: list[Transform] = _listed("CatTransform", tseq, cache_size)
        self.dim: int = check.integer("CatTransform", "dim", dim)
        given = [1] * len(self.transforms) if lengths is None else lengths
        self.lengths: tuple[int, ...] = check.sizes("CatTransform", "lengths", given)
        self.domain: Constraint = constraints.cat(
            [it.domain for it in self.transforms], self.dim, self.lengths
        )
        self.codomain: Constraint = constraints.cat(
            [it.codomain for it in self.transforms], self.dim, self.lengths
        )
        self.bijective: bool = all(it.bijective for it in self.transforms)

    def _call(self, x: Tensor) -> Tensor:
        pieces = zip(self.transforms, x.split(self.lengths, self.dim), strict=True)
        return _engine.cat([it(piece) for it, piece in pieces], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        pieces = zip(self.transforms, y.split(self.lengths, self.dim), strict=True)
        return _engine.cat([it.inv(piece) for it, piece in pieces], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        check.tensor("CatTransform", "x", x)
        check.tensor("CatTransform", "y", y)
        events = self.domain.event_dim
        found = []
        both = (x.split(self.lengths, self.dim), y.split(self.lengths, self.dim))
        for it, piece, made in zip(self.transforms, *both, strict=True):
            grown = it.log_abs_det_jacobian(piece, made)
            found.append(event_sum(grown, events - it.domain.event_dim))
        place = self.dim - x.ndim if self.dim >= 0 else self.dim
        if place + events < 0:
            return _engine.cat(found, place + events)
        total = found[0]
        for grown in found[1:]:
            total = total + grown
        return total


class StackTransform(Transform):
    """Transforms of what stands at each place of a dim.

    Args:
        tseq: The transforms, one a place.
        dim: The dim.
        cache_size: 1 lets each keep its last pair of input and result.

    Raises:
        ValueError: No transforms.
        TypeError: Something else.

    >>> transforms = gb.distributions.transforms
    >>> both = [transforms.ExpTransform(), transforms.AffineTransform(0.0, 2.0)]
    >>> transforms.StackTransform(both)(gb.tensor([0.0, 3.0]))
    tensor([1., 6.])
    """

    _compared = ("transforms", "dim")

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.transforms: list[Transform] = _listed("StackTransform", tseq, cache_size)
        self.dim: int = check.integer("StackTransform", "dim", dim)
        self.domain: Constraint = constraints.stack([it.domain for it in self.transforms], self.dim)
        self.codomain: Constraint = constraints.stack(
            [it.codomain for it in self.transforms], self.dim
        )
        self.bijective: bool = all(it.bijective for it in self.transforms)

    def _call(self, x: Tensor) -> Tensor:
        parts = zip(self.transforms, x.unbind(self.dim), strict=True)
        return _engine.stack([it(part) for it, part in parts], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        parts = zip(self.transforms, y.unbind(self.dim), strict=True)
        return _engine.stack([it.inv(part) for it, part in parts], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        check.tensor("StackTransform", "x", x)
        check.tensor("StackTransform", "y", y)
        parts = zip(self.transforms, x.unbind(self.dim), y.unbind(self.dim), strict=True)
        grown = [it.log_abs_det_jacobian(part, made) for it, part, made in parts]
        return _engine.stack(grown, self.dim)


def _listed(op: str, given: Sequence[Transform], cache_size: int) -> list[Transform]:
    found = list_of(Transform, op, "tseq", given, "transforms")
    if not found:
        raise ValueError(f"{op}: no transforms; one at least is needed")
    return [it.with_cache() for it in found] if cache_size else found
