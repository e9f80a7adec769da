"""What is raised where a graph or a program names what is not there."""

from garboard._engine import GarboardError

__all__ = ["UnknownPartError", "UnknownPathError"]


class UnknownPartError(GarboardError, NameError):
    """A module, parameter or argument that is no part of what is traced."""


class UnknownPathError(GarboardError, AttributeError):
    """A path at which a module has nothing."""
