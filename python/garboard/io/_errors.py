"""The error of files that are not what they should be."""

from __future__ import annotations

from pickle import UnpicklingError

from garboard._engine import GarboardError

__all__ = ["EmptyFileError", "FileError", "UnsafeFileError"]


class FileError(GarboardError, RuntimeError, ValueError, UnpicklingError):
    """A file of tensors that is broken, cut off, or of a kind that is not read."""


class EmptyFileError(FileError, EOFError):
    """A file without a byte."""


class UnsafeFileError(FileError):
    """A file whose objects could run any code while they are made."""
