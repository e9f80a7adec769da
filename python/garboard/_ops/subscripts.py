"""What einsum is told to do: its subscripts read, and checked against the operands' dims.

A plan names every dim by a label: a letter, or the place of a dim that an ellipsis stands for.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import items_of
from garboard._arguments.texts import shown
from garboard._engine import ShapeError, Tensor

__all__ = ["Label", "Plan", "plan_of", "read"]

Label = str | int

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DOTS = "."


class Plan(NamedTuple):
    """The labels of each operand's dims, and of the result's."""

    inputs: tuple[tuple[Label, ...], ...]
    output: tuple[Label, ...]


def read(given: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    """Return subscripts and operands, out of any form that they come in."""
    if not given:
        raise TypeError("einsum: no arguments; subscripts and operands are needed")
    if not isinstance(given[0], str):
        return _read_sublists(given)
    equation = check.text("einsum", "equation", given[0])
    operands = items_of(given[1]) if _is_list(given[1:]) else list(given[1:])
    return equation, [check.tensor("einsum", "an operand", it) for it in operands]


def _is_list(operands: tuple[Any, ...]) -> bool:
    return len(operands) == 1 and isinstance(operands[0], (list, tuple))


def _read_sublists(given: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    """Of operand, sublist, operand, sublist, ..., and perhaps the result's sublist."""
    pairs, rest = divmod(len(given), 2)
    operands = [check.tensor("einsum", "an operand", it) for it in given[: 2 * pairs : 2]]
    inputs = [_letters_of(it) for it in given[1 : 2 * pairs : 2]]
    equation = ",".join(inputs)
    return (f"{equation}->{_letters_of(given[-1])}" if rest else equation), operands


def _letters_of(sublist: Any) -> str:
    if not isinstance(sublist, (list, tuple)):
        raise TypeError(
            f"einsum: a sublist is of type {type(sublist).__name__}; a list of integers is needed"
        )
    text = ""
    for label in items_of(sublist):
        if label is Ellipsis:
            text += "..."
            continue
        number = check.integer("einsum", "a label", label, "an integer or Ellipsis")
        if not 0 <= number < len(_LETTERS):
            raise ArgumentError(
                f"einsum: label {shown(number)}; 0 to {len(_LETTERS) - 1} is needed"
            )
        text += _LETTERS[number]
    return text


def _refused(equation: str, needed: str) -> ArgumentError:
    return ArgumentError(f"einsum: subscripts {shown(equation)}; {needed}")


def _checked(part: str, equation: str) -> str:
    """Return the letters of one operand, with one dot for the ellipsis."""
    letters = part.replace("...", _DOTS, 1)
    for letter in letters.replace(_DOTS, "", 1):
        if letter not in _LETTERS:
            raise _refused(
                equation, f"{shown(letter)} is neither a letter nor part of one '...', as needed"
            )
    if _DOTS in letters and "..." not in part:
        raise _refused(equation, "an ellipsis has three dots")
    return letters


@lru_cache(maxsize=512)
def plan_of(equation: str, ndims: tuple[int, ...]) -> Plan:
    """Return the labels of every dim.

    Raises:
        ValueError: The subscripts cannot be read.
        ShapeError: They do not fit the operands.
    """
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    if not arrow and ("-" in text or ">" in text):
        raise _refused(equation, "an arrow is written ->")
    parts = [_checked(part, equation) for part in left.split(",")]
    if len(parts) != len(ndims):
        raise _refused(equation, f"{len(parts)} operands are named, and {len(ndims)} given")
    dots = 0
    for number, (letters, ndim) in enumerate(zip(parts, ndims, strict=True)):
        named = len(letters.replace(_DOTS, ""))
        if ndim < named or (_DOTS not in letters and ndim != named):
            raise ShapeError(
                f"einsum: operand {number} has {ndim} dims and the subscripts "
                f"{shown(letters.replace(_DOTS, '...'))} "
                f"name {named}; they must agree, or '...' stand for the others"
            )
        if _DOTS in letters:
            dots = max(dots, ndim - named)

    def labels(letters: str, count: int) -> tuple[Label, ...]:
        before, _, after = letters.partition(_DOTS)
        return (*before, *(range(dots - count, dots) if _DOTS in letters else ()), *after)

    inputs = tuple(
        labels(letters, ndim - len(letters) + 1) for letters, ndim in zip(parts, ndims, strict=True)
    )
    if arrow:
        return Plan(inputs, _output_of(_checked(right, equation), inputs, dots, equation))
    all_letters = "".join(parts).replace(_DOTS, "")
    once = sorted(it for it in set(all_letters) if all_letters.count(it) == 1)
    return Plan(inputs, (*range(dots), *once))


def _output_of(
    letters: str, inputs: tuple[tuple[Label, ...], ...], dots: int, equation: str
) -> tuple[Label, ...]:
    known = {label for operand in inputs for label in operand}
    for letter in letters.replace(_DOTS, ""):
        if letter not in known:
            raise _refused(equation, f"{letter} of the result must be of an operand, too")
        if letters.count(letter) > 1:
            raise _refused(equation, f"{letter} may name one dim of the result alone")
    before, _, after = letters.partition(_DOTS)
    return (*before, *(range(dots) if _DOTS in letters else ()), *after)
