"""What a row of the op table is: one op, its reference, its inputs and how exact it must be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import garboard as gb
import numpy as np

FLOATS = ("float32", "float64")
INTEGERS = ("int64", "int32", "uint8")
NUMBERS = (*FLOATS, *INTEGERS)
BITS = (*INTEGERS, "bool")
ALL = (*NUMBERS, "bool")


@dataclass(frozen=True)
class Draw:
    """What an input is filled with: reals from [low, high), or integers from [low, high]."""

    low: float
    high: float
    dtype: str | None = None  # of this input alone, as in a condition or a target

    def array(self, rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        kind = np.dtype(self.dtype or dtype)
        if kind.kind == "f":
            return np.asarray(rng.uniform(self.low, self.high, shape), dtype=kind)
        if kind.kind == "b":
            return np.asarray(rng.integers(0, 2, shape), dtype=kind)
        limits = np.iinfo(kind)
        low, high = max(int(self.low), limits.min), min(int(self.high), limits.max)
        return np.asarray(rng.integers(low, high, shape, endpoint=True), dtype=kind)


def reals(low: float, high: float) -> Draw:
    return Draw(low, high)


CONDITION = Draw(0, 1, "bool")


@dataclass(frozen=True)
class Case:
    """The sizes of the inputs, and what follows them in the call."""

    shapes: tuple[tuple[int, ...], ...]
    arguments: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)


def named(**named_arguments: Any) -> dict[str, Any]:
    return named_arguments


def same(dtype: str) -> str:
    return dtype


def real(dtype: str) -> str:
    return dtype if dtype in FLOATS else "float32"


def summed(dtype: str) -> str:
    return dtype if dtype in FLOATS else "int64"


def boolean(dtype: str) -> str:
    return "bool"


def truth(dtype: str) -> str:
    return "uint8" if dtype == "uint8" else "bool"


def index(dtype: str) -> str:
    return "int64"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One public op."""

    name: str
    reference: Callable[..., Any]
    draws: Sequence[Draw]
    cases: Sequence[Case]
    dtypes: Sequence[str] = ALL  # those it takes; others must raise DTypeError
    result: Callable[[str], str] = same
    ulps: float = 0  # how far a floating result may be from the reference
    terms: float = 0  # of a sum or product: how many roundings of the largest term may add up
    slopes: Sequence[Draw] | None = None  # where gradients are checked, if not at `draws`
    gradient_order: int = 2  # how often it can be differentiated: 0, 1 or 2
    has_partial_gradient: bool = False  # of some inputs, which other tests know
    is_elementwise: bool = False
    takes_out: bool = False
    specials: bool = False  # tested on infinities, NaN, zeros and the largest numbers
    takes_list: bool = False  # of its inputs
    op: Callable[..., Any] | None = None

    def call(self, *inputs: Any, case: Case) -> Any:
        """Run the op: the function, or the method where there is no function."""
        function = self.op or getattr(gb, self.name, None) or getattr(gb.Tensor, self.name)
        if self.takes_list:
            inputs = (list(inputs),)
        return function(*inputs, *case.arguments, **case.named)

    def arrays(self, case: Case, dtype: str, seed: int) -> list[np.ndarray]:
        return self.arrays_from(self.draws, case, dtype, seed)

    def arrays_from(
        self, draws: Sequence[Draw], case: Case, dtype: str, seed: int
    ) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        some = draws[: len(case.shapes)]  # a case may have fewer inputs than another
        return [d.array(rng, s, dtype) for d, s in zip(some, case.shapes, strict=True)]

    def inputs(self, dtype: str, seed: int = 7) -> list[gb.Tensor]:
        """Return the inputs of the first case."""
        return [gb.tensor(array) for array in self.arrays(self.cases[0], dtype, seed)]

    def expected(self, arrays: Sequence[np.ndarray], case: Case) -> tuple[np.ndarray, ...]:
        wide = [a.astype(np.longdouble) if a.dtype.kind == "f" else a for a in arrays]
        with np.errstate(all="ignore"):
            if self.result is real:
                wide = [a.astype(np.longdouble) for a in wide]
            result = self.reference(*wide, *case.arguments, **case.named)
        return result if isinstance(result, tuple) else (np.asarray(result),)

    @property
    def has_in_place(self) -> bool:
        return self.is_elementwise and hasattr(gb.Tensor, f"{self.name}_")
