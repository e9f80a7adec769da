"""Errors of Python's kinds that are of PyTorch's kinds, too: programs catch those.

What Python calls a wrong value PyTorch tells by a RuntimeError, a KeyError or an assertion, which
one by the function. A program that catches either is served.
"""

from __future__ import annotations

from garboard._engine import GarboardError, GradientError, ShapeError

__all__ = [
    "ArgumentError",
    "ChoiceError",
    "MissingMethodError",
    "NameTakenError",
    "NotBegunError",
    "NothingAsksError",
    "PartsError",
    "RankError",
    "ResultError",
]


class ArgumentError(GarboardError, RuntimeError, ValueError):
    """Arguments of the right types that do not fit each other, or that are not known."""


class ChoiceError(ArgumentError, NotImplementedError):
    """A word that is none of those that are known."""


class MissingMethodError(GarboardError, RuntimeError, TypeError):
    """An object of a program without a method that what is asked for needs."""


class NameTakenError(GarboardError, KeyError, ValueError):
    """A name that a module's part cannot have, or that something else has already."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError shows its text as Python writes strings


class NotBegunError(GarboardError, AssertionError):
    """A later part of something whose first part was left out."""


class NothingAsksError(GradientError, ValueError):
    """Inputs none of which asks for the gradient that is to be checked."""


class RankError(ShapeError, NotImplementedError):
    """More dims than a function knows what to do with, or fewer."""


class PartsError(ShapeError, AssertionError):
    """Sizes of attention that do not fit each other, or cannot be cut into so many equal parts."""


class ResultError(ArgumentError, TypeError):
    """What a function returned that is none of what it may return."""
