"""Numbers that fill the unit cube more evenly than draws at random do."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.texts import shown
from garboard._contexts.generator import default_generator
from garboard._engine import Tensor

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = ["SobolEngine"]

_BITS = 30


class SobolEngine:
    """Sobol's sequence: points of the unit cube, each where the ones before it left most room.

    SciPy, which must be installed, makes the points on the CPU: with the direction numbers of Joe
    and Kuo ("Constructing Sobol sequences with better two-dimensional projections", 2008). Those
    that are not scrambled are PyTorch's very points; scrambled ones depend on the seed otherwise.

    Attributes:
        num_generated: How many points were drawn or left out.

    Args:
        dimension: Of the cube, 1 to 21201.
        scramble: Permute the digits of all points at random, which keeps them as even.
        seed: Of the scrambling; by default the default generator's.

    Raises:
        ValueError: Another dimension.
        TypeError: An argument is of another type.
        ModuleNotFoundError: SciPy is not installed.

    >>> gb.quasirandom.SobolEngine(2).draw(4).tolist()
    [[0.0, 0.0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """

    MAXBIT = _BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        op = "SobolEngine"
        self.dimension: int = check.count(op, "dimension", dimension, 1)
        if self.dimension > self.MAXDIM:
            raise ValueError(f"{op}: dimension {self.dimension}; at most {self.MAXDIM} is possible")
        self.scramble: bool = check.flag(op, "scramble", scramble)
        self.seed: int | None = None if seed is None else check.integer(op, "seed", seed)
        self.num_generated: int = 0
        self._start = self.seed
        if self.scramble and seed is None:
            self._start = int(
                _engine.randint(0, 2**31, (), dtype=_engine.int64, generator=default_generator)
            )
        self._sequence: Any = self._made()

    def _made(self) -> Any:
        try:
            sobol = import_module("scipy.stats.qmc").Sobol
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "SobolEngine: SciPy, which makes the points, is not installed; it comes with "
                "garboard[quasirandom]"
            ) from error
        start = abs(self._start) if self._start is not None else None
        return sobol(self.dimension, scramble=self.scramble, bits=_BITS, seed=start)

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """Return the next points.

        Args:
            n: How many.
            out: Where they go, instead of a new tensor.
            dtype: A floating one; the default dtype by default.

        Returns:
            A new tensor [n, dimension], in [0, 1), rounded to the dtype.

        Raises:
            ValueError: A negative number, or more than 2^30 points in all.
            TypeError: An argument is of another type.
            ShapeError: `out` has other sizes.

        >>> gb.quasirandom.SobolEngine(1).draw(3).flatten().tolist()
        [0.0, 0.5, 0.75]
        """
        op = "SobolEngine.draw"
        count = check.count(op, "n", n)
        if self.num_generated + count > 2**_BITS:
            raise ValueError(
                f"{op}: n {count} after {self.num_generated}; at most 2^{_BITS} points are there"
            )
        wanted = _engine.get_default_dtype() if dtype is None else dtype
        points = self._taken(count)
        self.num_generated += count
        made = _engine.tensor(points, dtype=wanted).reshape(count, self.dimension)
        return written(op, made, out)

    def _taken(self, count: int) -> Any:
        with warnings.catch_warnings():  # it asks for powers of 2, as draw_base2() gives them
            warnings.simplefilter("ignore", UserWarning)
            return self._sequence.random(count) if count else []

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """Return the next 2^m points, which are even only together with all before them.

        Args:
            m: The exponent.
            out: Where they go, instead of a new tensor.
            dtype: A floating one; the default dtype by default.

        Returns:
            A new tensor [2^m, dimension], in [0, 1), rounded to the dtype.

        Raises:
            ValueError: More than 2^30 points, or as many were drawn before that the sum is no power
                of 2.
            TypeError: An argument is of another type.

        >>> gb.quasirandom.SobolEngine(3).draw_base2(2).shape
        (4, 3)
        """
        op = "SobolEngine.draw_base2"
        exponent = check.count(op, "m", m)
        if exponent > _BITS:
            raise ValueError(f"{op}: m {shown(exponent)}; at most {_BITS} is possible")
        count = 2**exponent
        total = self.num_generated + count
        if total & (total - 1):
            raise ValueError(
                f"{op}: {shown(count)} points after {self.num_generated}; a sum that is a power "
                "of 2 is needed: draw(n) gives any number, and reset() begins anew"
            )
        return self.draw(count, out, dtype)

    def reset(self) -> Self:
        """Begin anew, with the same scrambling.

        Returns:
            The engine itself.

        >>> engine = gb.quasirandom.SobolEngine(1)
        >>> engine.draw(2).shape, engine.reset().draw(1).item()
        ((2, 1), 0.0)
        """
        self._sequence.reset()
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> Self:
        """Leave the next points out.

        Args:
            n: How many.

        Returns:
            The engine itself.

        Raises:
            ValueError: A negative number.
            TypeError: `n` is no integer.

        >>> gb.quasirandom.SobolEngine(1).fast_forward(2).draw(1).item()
        0.75
        """
        count = check.count("SobolEngine.fast_forward", "n", n)
        if count:
            self._sequence.fast_forward(count)
        self.num_generated += count
        return self

    def __repr__(self) -> str:
        told = [f"dimension={self.dimension}"]
        if self.scramble:
            told.append("scramble=True")
        if self.seed is not None:
            told.append(f"seed={self.seed}")
        return f"SobolEngine({', '.join(told)})"
