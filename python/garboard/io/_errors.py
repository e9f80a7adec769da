"""The error of files that are not what they should be."""

from __future__ import annotations

from pickle import UnpicklingError

from garboard._engine import GarboardError

__all__ = ["FileError", "UnsafeFileError"]


class FileError(GarboardError, RuntimeError, ValueError):
    """A file of tensors that is broken, cut off, or of a kind that is not read."""


class UnsafeFileError(FileError, UnpicklingError):
    """A file whose objects could run any code while they are made."""
