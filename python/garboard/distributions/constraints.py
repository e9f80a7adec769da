"""What values may be: sets of numbers, of vectors, of matrices, each with a test of membership."""

from __future__ import annotations

from garboard import _check as check
from garboard import _engine
from garboard._engine import ShapeError, Tensor

__all__ = [
    "Constraint",
    "boolean",
    "dependent",
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
    "real",
    "real_vector",
    "simplex",
    "square",
    "symmetric",
    "unit_interval",
]


class Constraint:
    """A set of values that a parameter, or a draw, may have.

    Attributes:
        is_discrete: Whether the set has gaps.
        event_dim: How many of the last dims make one value: 0 for numbers, 1 for vectors.

    >>> gb.distributions.constraints.positive.check(gb.tensor([0.0, 1.0]))
    tensor([False,  True])
    """

    is_discrete: bool = False
    event_dim: int = 0

    def check(self, value: Tensor) -> Tensor:
        """Test which values belong to the set.

        Args:
            value: A tensor of at least `event_dim` dims.

        Returns:
            A new bool tensor of the dims before the last `event_dim`.

        Raises:
            ShapeError: Fewer dims.
            NotImplementedError: The set depends on what is not known yet.

        >>> gb.distributions.constraints.simplex.check(gb.tensor([0.5, 0.5]))
        tensor(True)
        """
        name = type(self).__name__.strip("_")
        if check.tensor(name, "value", value).ndim < self.event_dim:
            raise ShapeError(
                f"{name}: a value of sizes {list(value.shape)}; {self.event_dim} dims or more are "
                "needed"
            )
        return self._test(value)

    def _test(self, value: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__.strip('_')}: no check() of this set")

    @property
    def needed(self) -> str:
        """What belongs to it, in words, for messages."""
        return "other values"

    def __repr__(self) -> str:
        return type(self).__name__.strip("_") + "()"


class _Dependent(Constraint):
    pass


class _Boolean(Constraint):
    is_discrete = True

    def _test(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)

    @property
    def needed(self) -> str:
        return "0 or 1"


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def _test(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)

    @property
    def needed(self) -> str:
        return "one 1 among zeros"


class _Real(Constraint):
    def _test(self, value: Tensor) -> Tensor:
        return value == value  # NaN is no number

    @property
    def needed(self) -> str:
        return "numbers that are not NaN"


class integer_interval(Constraint):
    """The integers of [lower_bound, upper_bound].

    Args:
        lower_bound: A number, or a tensor.
        upper_bound: Likewise.

    >>> gb.distributions.constraints.integer_interval(0, 2).check(gb.tensor([0.5, 2.0, 3.0]))
    tensor([False,  True, False])
    """

    is_discrete = True

    def __init__(self, lower_bound: Tensor | float, upper_bound: Tensor | float) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def _test(self, value: Tensor) -> Tensor:
        is_whole = value == value.floor() if value.dtype.is_floating_point else value == value
        return is_whole & (value >= self.lower_bound) & (value <= self.upper_bound)

    @property
    def needed(self) -> str:
        return f"integers in [{_told(self.lower_bound)}, {_told(self.upper_bound)}]"


class interval(Constraint):
    """The numbers of [lower_bound, upper_bound].

    Args:
        lower_bound: A number, or a tensor.
        upper_bound: Likewise.

    >>> gb.distributions.constraints.interval(0, 1).check(gb.tensor([0.0, 2.0]))
    tensor([ True, False])
    """

    def __init__(self, lower_bound: Tensor | float, upper_bound: Tensor | float) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def _test(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value <= self.upper_bound)

    @property
    def needed(self) -> str:
        return f"numbers in [{_told(self.lower_bound)}, {_told(self.upper_bound)}]"


class half_open_interval(interval):
    """The numbers of [lower_bound, upper_bound).

    Args:
        lower_bound: A number, or a tensor.
        upper_bound: Likewise.

    >>> gb.distributions.constraints.half_open_interval(0, 1).check(gb.tensor([0.0, 1.0]))
    tensor([ True, False])
    """

    def _test(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value < self.upper_bound)

    @property
    def needed(self) -> str:
        return f"numbers in [{_told(self.lower_bound)}, {_told(self.upper_bound)})"


class greater_than(Constraint):
    """The numbers above `lower_bound`.

    Args:
        lower_bound: A number, or a tensor.

    >>> gb.distributions.constraints.greater_than(1).check(gb.tensor([1.0, 2.0]))
    tensor([False,  True])
    """

    def __init__(self, lower_bound: Tensor | float) -> None:
        self.lower_bound = lower_bound

    def _test(self, value: Tensor) -> Tensor:
        return value > self.lower_bound

    @property
    def needed(self) -> str:
        return f"numbers above {_told(self.lower_bound)}"


class greater_than_eq(greater_than):
    """The numbers from `lower_bound` on.

    Args:
        lower_bound: A number, or a tensor.

    >>> gb.distributions.constraints.greater_than_eq(1).check(gb.tensor([1.0, 0.0]))
    tensor([ True, False])
    """

    def _test(self, value: Tensor) -> Tensor:
        return value >= self.lower_bound

    @property
    def needed(self) -> str:
        return f"numbers of at least {_told(self.lower_bound)}"


class less_than(Constraint):
    """The numbers below `upper_bound`.

    Args:
        upper_bound: A number, or a tensor.

    >>> gb.distributions.constraints.less_than(1).check(gb.tensor([1.0, 0.0]))
    tensor([False,  True])
    """

    def __init__(self, upper_bound: Tensor | float) -> None:
        self.upper_bound = upper_bound

    def _test(self, value: Tensor) -> Tensor:
        return value < self.upper_bound

    @property
    def needed(self) -> str:
        return f"numbers below {_told(self.upper_bound)}"


class _IntegersFrom(greater_than):
    is_discrete = True

    def _test(self, value: Tensor) -> Tensor:
        is_whole = value == value.floor() if value.dtype.is_floating_point else value == value
        return is_whole & (value >= self.lower_bound)

    @property
    def needed(self) -> str:
        return f"integers of at least {_told(self.lower_bound)}"


class _Simplex(Constraint):
    event_dim = 1

    def _test(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)

    @property
    def needed(self) -> str:
        return "rows of numbers that are not negative and add up to 1"


class multinomial(Constraint):
    """The rows of counts that add up to `upper_bound`.

    Args:
        upper_bound: The sum.

    >>> gb.distributions.constraints.multinomial(3).check(gb.tensor([1.0, 2.0]))
    tensor(True)
    """

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: int) -> None:
        self.upper_bound = upper_bound

    def _test(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) == self.upper_bound)

    @property
    def needed(self) -> str:
        return f"rows of counts that add up to {self.upper_bound}"


class _Matrix(Constraint):
    event_dim = 2

    def _test(self, value: Tensor) -> Tensor:
        is_square = value.shape[-1] == value.shape[-2]
        return _engine.full(value.shape[:-2], is_square, dtype=_engine.bool, device=value.device)

    @property
    def needed(self) -> str:
        return "square matrices"


class _Symmetric(_Matrix):
    def _test(self, value: Tensor) -> Tensor:
        if value.shape[-1] != value.shape[-2]:
            return super()._test(value)
        return ((value - value.mT).abs() <= 1e-6 + 1e-5 * value.abs()).all(-1).all(-1)

    @property
    def needed(self) -> str:
        return "symmetric matrices"


class _PositiveDefinite(_Symmetric):
    def _test(self, value: Tensor) -> Tensor:
        from garboard.linalg import cholesky_ex

        is_symmetric = super()._test(value)
        if value.shape[-1] != value.shape[-2]:
            return is_symmetric
        return is_symmetric & (cholesky_ex(value).info == 0)

    @property
    def needed(self) -> str:
        return "symmetric positive definite matrices"


class _LowerTriangular(_Matrix):
    def _test(self, value: Tensor) -> Tensor:
        return (value.tril() == value).all(-1).all(-1)

    @property
    def needed(self) -> str:
        return "lower triangular matrices"


class _LowerCholesky(_LowerTriangular):
    def _test(self, value: Tensor) -> Tensor:
        return super()._test(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)

    @property
    def needed(self) -> str:
        return "lower triangular matrices with a diagonal above 0"


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

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint: Constraint = check.of_type(
            Constraint, "independent", "base_constraint", base_constraint
        )
        self.reinterpreted_batch_ndims: int = check.count(
            "independent", "reinterpreted_batch_ndims", reinterpreted_batch_ndims
        )
        self.is_discrete: bool = base_constraint.is_discrete
        self.event_dim: int = base_constraint.event_dim + self.reinterpreted_batch_ndims

    def _test(self, value: Tensor) -> Tensor:
        found = self.base_constraint.check(value)
        for _ in range(self.reinterpreted_batch_ndims):
            found = found.all(-1)
        return found

    @property
    def needed(self) -> str:
        return self.base_constraint.needed


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


def _told(bound: Tensor | float) -> str:
    if not isinstance(bound, Tensor):
        return f"{bound:g}"
    return f"{bound.item():g}" if bound.numel() == 1 else "a bound of its own each"


boolean: Constraint = _Boolean()
dependent: Constraint = _Dependent()
lower_cholesky: Constraint = _LowerCholesky()
lower_triangular: Constraint = _LowerTriangular()
nonnegative: Constraint = greater_than_eq(0.0)
nonnegative_integer: Constraint = _IntegersFrom(0)
one_hot: Constraint = _OneHot()
positive: Constraint = greater_than(0.0)
positive_definite: Constraint = _PositiveDefinite()
positive_integer: Constraint = _IntegersFrom(1)
real: Constraint = _Real()
real_vector: Constraint = independent(real, 1)
simplex: Constraint = _Simplex()
square: Constraint = _Matrix()
symmetric: Constraint = _Symmetric()
unit_interval: Constraint = interval(0.0, 1.0)
