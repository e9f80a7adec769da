"""Constraints of numbers between bounds."""

from __future__ import annotations

from garboard._arguments.texts import told
from garboard._engine import Tensor
from garboard.distributions._constraint import Constraint

__all__ = [
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "integer_interval",
    "integers_from",
    "interval",
    "less_than",
]


class integer_interval(Constraint):
    """The integers of [lower_bound, upper_bound].

    Args:
        lower_bound: A number, or a tensor.
        upper_bound: Likewise.

    >>> gb.distributions.constraints.integer_interval(0, 2).check(gb.tensor([0.5, 2.0, 3.0]))
    tensor([False,  True, False])
    """

    __slots__ = ("_lower_bound", "_upper_bound")

    is_discrete = True

    def __init__(self, lower_bound: Tensor | float, upper_bound: Tensor | float) -> None:
        self._lower_bound = lower_bound
        self._upper_bound = upper_bound

    @property
    def lower_bound(self) -> Tensor | float:
        """The least integer, as it was given."""
        return self._lower_bound

    @property
    def upper_bound(self) -> Tensor | float:
        """The largest integer, as it was given."""
        return self._upper_bound

    @property
    def _told_parts(self) -> list[str]:
        return [f"lower_bound={told(self.lower_bound)}", f"upper_bound={told(self.upper_bound)}"]

    def _test(self, value: Tensor) -> Tensor:
        return _is_whole(value) & (value >= self.lower_bound) & (value <= self.upper_bound)

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

    __slots__ = ("_lower_bound", "_upper_bound")

    def __init__(self, lower_bound: Tensor | float, upper_bound: Tensor | float) -> None:
        self._lower_bound = lower_bound
        self._upper_bound = upper_bound

    @property
    def lower_bound(self) -> Tensor | float:
        """Where the interval begins, as it was given."""
        return self._lower_bound

    @property
    def upper_bound(self) -> Tensor | float:
        """Where the interval ends, as it was given."""
        return self._upper_bound

    @property
    def _told_parts(self) -> list[str]:
        return [f"lower_bound={told(self.lower_bound)}", f"upper_bound={told(self.upper_bound)}"]

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

    __slots__ = ()

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

    __slots__ = ("_lower_bound",)

    def __init__(self, lower_bound: Tensor | float) -> None:
        self._lower_bound = lower_bound

    @property
    def lower_bound(self) -> Tensor | float:
        """The bound, as it was given."""
        return self._lower_bound

    @property
    def _told_parts(self) -> list[str]:
        return [f"lower_bound={told(self.lower_bound)}"]

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

    __slots__ = ()

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

    __slots__ = ("_upper_bound",)

    def __init__(self, upper_bound: Tensor | float) -> None:
        self._upper_bound = upper_bound

    @property
    def upper_bound(self) -> Tensor | float:
        """The bound, as it was given."""
        return self._upper_bound

    @property
    def _told_parts(self) -> list[str]:
        return [f"upper_bound={told(self.upper_bound)}"]

    def _test(self, value: Tensor) -> Tensor:
        return value < self.upper_bound

    @property
    def needed(self) -> str:
        return f"numbers below {_told(self.upper_bound)}"


class integers_from(greater_than):
    """The integers from `lower_bound` on.

    Args:
        lower_bound: A number, or a tensor.

    >>> gb.distributions.constraints.nonnegative_integer.check(gb.tensor([2.0, 0.5]))
    tensor([ True, False])
    """

    __slots__ = ()

    is_discrete = True

    @property
    def _told_name(self) -> str:
        return "IntegerGreaterThan"

    def _test(self, value: Tensor) -> Tensor:
        return _is_whole(value) & (value >= self.lower_bound)

    @property
    def needed(self) -> str:
        return f"integers of at least {_told(self.lower_bound)}"


def _is_whole(value: Tensor) -> Tensor:
    return (value == value.floor()) & value.isfinite()


def _told(bound: Tensor | float) -> str:
    if not isinstance(bound, Tensor):
        return f"{bound:g}"
    return f"{bound.item():g}" if bound.numel() == 1 else "a bound of its own each"
