"""What values may be: sets of numbers, of vectors, of matrices, each with a test of membership."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import list_of
from garboard._engine import Tensor
from garboard._ops.dtypes import finfo
from garboard.distributions._constraint import Constraint
from garboard.distributions._intervals import (
    greater_than,
    greater_than_eq,
    half_open_interval,
    integer_interval,
    integers_from,
    interval,
    less_than,
)

__all__ = [
    "Constraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


class _Dependent(Constraint):
    __slots__ = ()


class dependent_property(property, _Dependent):
    """A `support` that says nothing before a distribution has its parameters: a property.

    Args:
        fn: A method without arguments that returns the constraint; without it, the result decorates
            one.
        is_discrete: Whether the set has gaps.
        event_dim: How many of the last dims make one value.

    Raises:
        TypeError: An option of another type.

    >>> class Below:
    ...     high = 3.0
    ...
    ...     @gb.distributions.constraints.dependent_property(is_discrete=False, event_dim=0)
    ...     def support(self):
    ...         return gb.distributions.constraints.less_than(self.high)
    >>> gb.distributions.constraints.is_dependent(Below.support)
    True
    """

    is_discrete: bool
    event_dim: int

    def __init__(
        self,
        fn: Callable[[Any], Constraint] | None = None,
        *,
        is_discrete: bool = False,
        event_dim: int = 0,
    ) -> None:
        super().__init__(fn)
        self.is_discrete = check.flag("dependent_property", "is_discrete", is_discrete)
        self.event_dim = check.count("dependent_property", "event_dim", event_dim)

    def __call__(self, fn: Callable[[Any], Constraint]) -> dependent_property:
        return dependent_property(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


class _Boolean(Constraint):
    __slots__ = ()

    is_discrete = True

    def _test(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)

    @property
    def needed(self) -> str:
        return "0 or 1"


class _OneHot(Constraint):
    __slots__ = ()

    is_discrete = True
    event_dim = 1

    def _test(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)

    @property
    def needed(self) -> str:
        return "one 1 among zeros"


class _Real(Constraint):
    __slots__ = ()

    def _test(self, value: Tensor) -> Tensor:
        return value == value  # NaN is no number

    @property
    def needed(self) -> str:
        return "numbers that are not NaN"


class _Simplex(Constraint):
    __slots__ = ()

    event_dim = 1

    def _test(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)

    @property
    def needed(self) -> str:
        return "rows of numbers that are not negative and add up to 1"


class multinomial(Constraint):
    """The rows of counts that add up to `upper_bound` or less.

    Args:
        upper_bound: The greatest sum.

    >>> gb.distributions.constraints.multinomial(3).check(gb.tensor([1.0, 2.0]))
    tensor(True)
    """

    __slots__ = ("_upper_bound",)

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: int) -> None:
        self._upper_bound = upper_bound

    @property
    def upper_bound(self) -> int:
        """The greatest sum of a row."""
        return self._upper_bound

    def _test(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)

    @property
    def needed(self) -> str:
        return f"rows of counts that add up to {self.upper_bound} or less"


class _Square(Constraint):
    __slots__ = ()

    event_dim = 2

    def _test(self, value: Tensor) -> Tensor:
        is_square = value.shape[-1] == value.shape[-2]
        return _engine.full(value.shape[:-2], is_square, dtype=_engine.bool, device=value.device)

    @property
    def needed(self) -> str:
        return "square matrices"


class _Symmetric(_Square):
    __slots__ = ()

    def _test(self, value: Tensor) -> Tensor:
        if value.shape[-1] != value.shape[-2]:
            return super()._test(value)
        return ((value - value.mT).abs() <= 1e-6 + 1e-5 * value.abs()).all(-1).all(-1)

    @property
    def needed(self) -> str:
        return "symmetric matrices"


class _PositiveDefinite(_Symmetric):
    __slots__ = ()

    def _test(self, value: Tensor) -> Tensor:
        from garboard.linalg import cholesky_ex

        is_symmetric = super()._test(value)
        if value.shape[-1] != value.shape[-2]:
            return is_symmetric
        return is_symmetric & (cholesky_ex(value).info == 0)

    @property
    def needed(self) -> str:
        return "symmetric positive definite matrices"


class _PositiveSemidefinite(_Symmetric):
    __slots__ = ()

    def _test(self, value: Tensor) -> Tensor:
        from garboard.linalg import eigvalsh

        is_symmetric = super()._test(value)
        if value.shape[-1] != value.shape[-2]:
            return is_symmetric
        return is_symmetric & (eigvalsh(value) >= 0).all(-1)

    @property
    def needed(self) -> str:
        return "symmetric matrices without negative eigenvalues"


class _LowerTriangular(_Square):
    __slots__ = ()

    def _test(self, value: Tensor) -> Tensor:
        return (value.tril() == value).all(-1).all(-1)

    @property
    def needed(self) -> str:
        return "lower triangular matrices"


class _LowerCholesky(_LowerTriangular):
    __slots__ = ()

    def _test(self, value: Tensor) -> Tensor:
        return super()._test(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)

    @property
    def needed(self) -> str:
        return "lower triangular matrices with a diagonal above 0"


class _CorrCholesky(_LowerCholesky):
    __slots__ = ()

    def _test(self, value: Tensor) -> Tensor:
        length = value.square().sum(-1)
        margin = finfo(value.dtype).eps * value.shape[-1] * 10
        return super()._test(value) & ((length - 1).abs() <= margin).all(-1)

    @property
    def needed(self) -> str:
        return "lower triangular matrices with a diagonal above 0 and rows of length 1"


class independent(Constraint):
    """A constraint whose values are rows, or matrices, of another's.

    Args:
        base_constraint: The other.
        reinterpreted_batch_ndims: How many dims one value has more.

    Raises:
        ValueError: A negative number of dims.

    >>> constraints = gb.distributions.constraints
    >>> constraints.independent(constraints.positive, 1).check(gb.tensor([1.0, -1.0]))
    tensor(False)
    """

    __slots__ = ("_base_constraint", "_reinterpreted_batch_ndims")

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self._base_constraint: Constraint = check.of_type(
            Constraint, "independent", "base_constraint", base_constraint
        )
        self._reinterpreted_batch_ndims: int = check.count(
            "independent", "reinterpreted_batch_ndims", reinterpreted_batch_ndims
        )

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the set has gaps."""
        return self._base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many of the last dims make one value."""
        return self._base_constraint.event_dim + self._reinterpreted_batch_ndims

    @property
    def base_constraint(self) -> Constraint:
        """The constraint of the values' elements."""
        return self._base_constraint

    @property
    def reinterpreted_batch_ndims(self) -> int:
        """How many dims one value has more."""
        return self._reinterpreted_batch_ndims

    @property
    def _told_name(self) -> str:
        return "IndependentConstraint"

    @property
    def _told_parts(self) -> list[str]:
        return [str(self.base_constraint), str(self.reinterpreted_batch_ndims)]

    def _test(self, value: Tensor) -> Tensor:
        found = self.base_constraint.check(value)
        for _ in range(self.reinterpreted_batch_ndims):
            found = found.all(-1)
        return found

    @property
    def needed(self) -> str:
        return self.base_constraint.needed


class cat(Constraint):
    """Tensors whose pieces along a dim each belong to a set of their own.

    Args:
        cseq: The sets.
        dim: The dim.
        lengths: How long each piece is; 1, where it is left out.

    Raises:
        ValueError: More or fewer lengths than sets, or none.

    >>> constraints = gb.distributions.constraints
    >>> constraints.cat([constraints.real, constraints.positive]).check(gb.tensor([-1.0, -1.0]))
    tensor([ True, False])
    """

    __slots__ = ("_cseq", "_dim", "_lengths")

    def __init__(
        self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        self._cseq: list[Constraint] = _constraints("cat", cseq)
        self._dim: int = check.integer("cat", "dim", dim)
        given = [1] * len(self._cseq) if lengths is None else lengths
        self._lengths: tuple[int, ...] = check.sizes("cat", "lengths", given)
        if len(self._lengths) != len(self._cseq):
            raise ValueError(
                f"cat: {len(self._lengths)} lengths for {len(self._cseq)} constraints; one each is "
                "needed"
            )

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether a set has gaps."""
        return any(it.is_discrete for it in self._cseq)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many of the last dims make one value."""
        return max(it.event_dim for it in self._cseq)

    @property
    def cseq(self) -> list[Constraint]:
        """The sets."""
        return list(self._cseq)

    @property
    def dim(self) -> int:
        """The dim along which pieces lie."""
        return self._dim

    @property
    def lengths(self) -> tuple[int, ...]:
        """How long each piece is."""
        return self._lengths

    def _test(self, value: Tensor) -> Tensor:
        pieces = value.split(self.lengths, self.dim)
        return _engine.cat(
            [it.check(piece) for it, piece in zip(self._cseq, pieces, strict=True)], self.dim
        )


class stack(Constraint):
    """Tensors whose parts along a dim each belong to a set of their own.

    Args:
        cseq: The sets, one a place.
        dim: The dim.

    Raises:
        ValueError: No sets.

    >>> constraints = gb.distributions.constraints
    >>> constraints.stack([constraints.real, constraints.positive]).check(gb.tensor([-1.0, -1.0]))
    tensor([ True, False])
    """

    __slots__ = ("_cseq", "_dim")

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        self._cseq: list[Constraint] = _constraints("stack", cseq)
        self._dim: int = check.integer("stack", "dim", dim)

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether a set has gaps."""
        return any(it.is_discrete for it in self._cseq)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many of the last dims make one value."""
        dims = max(it.event_dim for it in self._cseq)
        return dims + 1 if self._dim + dims < 0 else dims

    @property
    def cseq(self) -> list[Constraint]:
        """The sets."""
        return list(self._cseq)

    @property
    def dim(self) -> int:
        """The dim along which parts lie."""
        return self._dim

    def _test(self, value: Tensor) -> Tensor:
        parts = value.unbind(self.dim)
        return _engine.stack(
            [it.check(part) for it, part in zip(self._cseq, parts, strict=True)], self.dim
        )


def _constraints(op: str, given: Sequence[Constraint]) -> list[Constraint]:
    found = list_of(Constraint, op, "cseq", given, "constraints")
    if not found:
        raise ValueError(f"{op}: no constraints; one at least is needed")
    return found


def is_dependent(constraint: Constraint) -> bool:
    """Tell whether a constraint says nothing before a distribution has its parameters.

    Args:
        constraint: Any.

    Returns:
        True for `dependent`.

    >>> gb.distributions.constraints.is_dependent(gb.distributions.constraints.real)
    False
    """
    return isinstance(constraint, _Dependent)


boolean: Constraint = _Boolean()
corr_cholesky: Constraint = _CorrCholesky()
dependent: Constraint = _Dependent()
lower_cholesky: Constraint = _LowerCholesky()
lower_triangular: Constraint = _LowerTriangular()
nonnegative: Constraint = greater_than_eq(0.0)
nonnegative_integer: Constraint = integers_from(0)
one_hot: Constraint = _OneHot()
positive: Constraint = greater_than(0.0)
positive_definite: Constraint = _PositiveDefinite()
positive_integer: Constraint = integers_from(1)
positive_semidefinite: Constraint = _PositiveSemidefinite()
real: Constraint = _Real()
# Their classes by PyTorch's private names, by which programs ask what a constraint is.
_IndependentConstraint = independent
_Interval, _HalfOpenInterval = interval, half_open_interval
_GreaterThan, _GreaterThanEq, _LessThan = greater_than, greater_than_eq, less_than
_IntegerInterval, _Cat, _Stack = integer_interval, cat, stack

real_vector: Constraint = independent(real, 1)
simplex: Constraint = _Simplex()
square: Constraint = _Square()
symmetric: Constraint = _Symmetric()
unit_interval: Constraint = interval(0.0, 1.0)
