"""What is raised where a history, a snapshot or a log is not what it should be."""

from garboard._engine import GarboardError

__all__ = ["AllocationLogError", "HistoryError", "SnapshotError"]


class HistoryError(GarboardError, ValueError):
    """Recording was asked for in a way that does not exist."""


class SnapshotError(HistoryError):
    """A memory snapshot breaks a rule of its format; the message says which and where."""


class AllocationLogError(HistoryError):
    """An allocation log cannot be read; the message names the line."""
