"""What both ways to compare gradients with differences do with tensors and with what is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from garboard._engine import GradientError, Tensor, float64, view_as_real

__all__ = [
    "DifferenceError",
    "GradcheckError",
    "Modes",
    "check_near",
    "check_same",
    "numbers_of",
    "outputs_of",
    "parts_of",
    "places_of",
]


class DifferenceError(Exception):
    """What was found; told to the caller, or not."""


class GradcheckError(GradientError):
    """Gradients that are off, or of a function that gives none to be checked."""


class Modes(NamedTuple):
    """Whether to compare gradients, and tangents, and both along one direction alone."""

    check_backward_ad: bool
    check_forward_ad: bool
    fast_mode: bool


def parts_of(tensor: Tensor) -> Tensor:
    """A view of the parts of complex numbers; of real ones the tensor itself."""
    return view_as_real(tensor) if tensor.is_complex() else tensor


def outputs_of(op: str, func: Callable[..., Any], given: list[Any]) -> list[Tensor]:
    """What the function returns in floats, those of complex numbers as their parts."""
    found = func(*given)
    outputs = list(found) if isinstance(found, (tuple, list)) else [found]
    tensors = [it for it in outputs if isinstance(it, Tensor)]
    floats = [parts_of(it) for it in tensors if it.is_floating_point() or it.is_complex()]
    if not floats:
        raise GradientError(
            f"{op}: the function returned no floating tensor; one at least is needed"
        )
    return floats


def places_of(tensor: Tensor) -> Iterator[tuple[int, ...]]:
    return product(*map(range, tensor.shape))


def numbers_of(tensor: Tensor) -> Tensor:
    """The elements, or their parts, in a row, in float64, in memory of their own."""
    return parts_of(tensor.detach()).reshape(-1).to(float64, copy=True)


def check_near(
    number: int,
    place: int,
    found: Tensor,
    wanted: Tensor,
    limits: dict[str, float],
    *,
    is_forward: bool = False,
) -> None:
    """Compare gradients, [elements of an output, elements of an input], with differences."""
    room = limits["atol"] + limits["rtol"] * wanted.abs()
    wrong = ~((found - wanted).abs() <= room)  # NaN too
    if wrong.any():
        of, by = number, place
        element, at = wrong.nonzero()[0].tolist()
        raise DifferenceError(
            f"output {of}, element {element}, for input {by} of those that require grad, "
            f"element {at}: {'forward mode' if is_forward else 'backward'} gives "
            f"{found[element, at].item():.6g}, differences "
            f"{wanted[element, at].item():.6g}; they must agree within "
            f"{room[element, at].item():.2g}"
        )


def check_same(row: list[Tensor], other: list[Tensor], tolerance: float) -> None:
    for found, again in zip(row, other, strict=True):
        wrong = ~((found == again) | ((found - again).abs() <= tolerance))
        if wrong.any():
            at, room = int(wrong.nonzero()[0].item()), tolerance
            raise DifferenceError(
                f"backward gives {found[at].item():.6g} and, run again, {again[at].item():.6g}; "
                f"they must agree within nondet_tol, {room:.2g}"
            )
