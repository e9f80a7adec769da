"""Transforms that lead from all numbers to what a constraint allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from garboard._arguments import check
from garboard.distributions import _intervals as intervals
from garboard.distributions import constraints, transforms
from garboard.distributions._transform import Transform
from garboard.distributions.constraints import Constraint

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

_Factory = Callable[[Any], Transform]
_F = TypeVar("_F", bound=_Factory)
_Kind = Constraint | type[Constraint]


class ConstraintRegistry:
    """Which transform leads to a constraint, by the constraint's class.

    >>> registry = gb.distributions.constraint_registry.ConstraintRegistry()
    >>> positive = gb.distributions.constraints.positive
    >>> @registry.register(positive)
    ... def of_positive(constraint):
    ...     return gb.distributions.transforms.ExpTransform()
    >>> registry(positive)
    ExpTransform()
    """

    def __init__(self) -> None:
        self._factories: dict[type[Constraint], _Factory] = {}

    @overload
    def register(self, constraint: _Kind) -> Callable[[_F], _F]: ...
    @overload
    def register(self, constraint: _Kind, factory: _F) -> _F: ...
    def register(self, constraint: _Kind, factory: _F | None = None) -> _F | Callable[[_F], _F]:
        """Say how the transform of a constraint is made.

        Args:
            constraint: A constraint, which stands for its class, or a class.
            factory: Called with the constraint; returns a transform. Where it is left out, a
                decorator is returned.

        Returns:
            The factory, or a decorator of one.

        Raises:
            TypeError: No constraint, or a factory that cannot be called.

        >>> registry = gb.distributions.constraint_registry.ConstraintRegistry()
        >>> made = gb.distributions.transforms.SigmoidTransform()
        >>> factory = registry.register(
        ...     gb.distributions.constraints.unit_interval, lambda constraint: made
        ... )
        >>> registry(gb.distributions.constraints.unit_interval) is made
        True
        """
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, Constraint)):
            raise TypeError("register: constraint is no constraint and no class of them")

        def add(given: _F) -> _F:
            if not callable(given):
                raise TypeError("register: factory cannot be called")
            self._factories[kind] = given
            return given

        return add if factory is None else add(factory)

    def __call__(self, constraint: Constraint) -> Transform:
        """Return the transform that leads to a constraint.

        Args:
            constraint: What the transform's results belong to.

        Returns:
            A transform of all numbers.

        Raises:
            NotImplementedError: None is known for the constraint's class.
            TypeError: It is no constraint.
        """
        check.of_type(Constraint, "ConstraintRegistry", "constraint", constraint)
        factory = self._factories.get(type(constraint))
        if factory is None:
            raise NotImplementedError(
                f"ConstraintRegistry: no transform leads to {type(constraint).__name__}; "
                "register() adds one"
            )
        return factory(constraint)


biject_to: ConstraintRegistry = ConstraintRegistry()
"""Transforms with an inverse, of as many numbers as the result has freedom."""
transform_to: ConstraintRegistry = ConstraintRegistry()
"""Transforms onto the set, which may take more numbers and have no single inverse."""


def _both(constraint: _Kind) -> Callable[[_F], _F]:
    def add(factory: _F) -> _F:
        biject_to.register(constraint, factory)
        transform_to.register(constraint, factory)
        return factory

    return add


@_both(constraints.real)
def _to_real(_: Constraint) -> Transform:
    return transforms.identity_transform


@biject_to.register(constraints.independent)
def _biject_to_independent(constraint: constraints.independent) -> Transform:
    return transforms.IndependentTransform(
        biject_to(constraint.base_constraint), constraint.reinterpreted_batch_ndims
    )


@transform_to.register(constraints.independent)
def _transform_to_independent(constraint: constraints.independent) -> Transform:
    return transforms.IndependentTransform(
        transform_to(constraint.base_constraint), constraint.reinterpreted_batch_ndims
    )


@_both(intervals.greater_than)
@_both(intervals.greater_than_eq)
def _to_what_is_above(constraint: Any) -> Transform:
    low, exponential = constraint.lower_bound, transforms.ExpTransform()
    if isinstance(low, (int, float)) and low == 0:
        return exponential
    return transforms.ComposeTransform([exponential, transforms.AffineTransform(low, 1.0)])


@_both(intervals.less_than)
def _to_what_is_below(constraint: Any) -> Transform:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1.0)]
    )


@_both(intervals.interval)
@_both(intervals.half_open_interval)
def _to_interval(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    share = transforms.SigmoidTransform()
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1):
        return share
    return transforms.ComposeTransform([share, transforms.AffineTransform(low, high - low)])


@biject_to.register(constraints.simplex)
def _biject_to_simplex(_: Constraint) -> Transform:
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _transform_to_simplex(_: Constraint) -> Transform:
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _to_lower_cholesky(_: Constraint) -> Transform:
    return transforms.LowerCholeskyTransform()


@_both(constraints.corr_cholesky)
def _to_corr_cholesky(_: Constraint) -> Transform:
    return transforms.CorrCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _to_positive_definite(_: Constraint) -> Transform:
    return transforms.PositiveDefiniteTransform()


@biject_to.register(constraints.cat)
def _biject_to_cat(constraint: constraints.cat) -> Transform:
    parts = [biject_to(it) for it in constraint.cseq]
    return transforms.CatTransform(parts, constraint.dim, constraint.lengths)


@transform_to.register(constraints.cat)
def _transform_to_cat(constraint: constraints.cat) -> Transform:
    parts = [transform_to(it) for it in constraint.cseq]
    return transforms.CatTransform(parts, constraint.dim, constraint.lengths)


@biject_to.register(constraints.stack)
def _biject_to_stack(constraint: constraints.stack) -> Transform:
    return transforms.StackTransform([biject_to(it) for it in constraint.cseq], constraint.dim)


@transform_to.register(constraints.stack)
def _transform_to_stack(constraint: constraints.stack) -> Transform:
    return transforms.StackTransform([transform_to(it) for it in constraint.cseq], constraint.dim)
