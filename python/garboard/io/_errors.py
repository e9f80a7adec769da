"""The error of files that are not what they should be."""

from __future__ import annotations

from garboard._engine import GarboardError

__all__ = ["FileError"]


class FileError(GarboardError, RuntimeError, ValueError):
    """A file of tensors that is broken, cut off, or of a kind that is not read."""
