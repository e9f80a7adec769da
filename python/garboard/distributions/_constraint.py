"""What a constraint is: a set of values, with a test of membership."""

from __future__ import annotations

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor

__all__ = ["Constraint"]


class Constraint:
    """A set of values that a parameter, or a draw, may have.

    Those of this module are constants, which all distributions share: they cannot be changed.

    Attributes:
        is_discrete: Whether the set has gaps.
        event_dim: How many of the last dims make one value: 0 for numbers, 1 for vectors.

    >>> gb.distributions.constraints.positive.check(gb.tensor([0.0, 1.0]))
    tensor([False,  True])
    """

    __slots__ = ()

    is_discrete: bool = False
    event_dim: int = 0

    def __init_subclass__(cls) -> None:
        cls.__doc__ = cls.__doc__ or Constraint.__doc__  # where there is none, libraries write one

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
        return f"{self._told_name}({', '.join(self._told_parts)})"

    @property
    def _told_name(self) -> str:
        """The name of PyTorch's class."""
        words = type(self).__name__.strip("_").split("_")
        return "".join(word[:1].upper() + word[1:] for word in words)

    @property
    def _told_parts(self) -> list[str]:
        """What its text tells of it."""
        return []
