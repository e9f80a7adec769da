"""What leak checks raise and warn with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import GarboardError

if TYPE_CHECKING:
    from garboard.leaks.findings._leak import Leak
    from garboard.leaks.reports._report import LeakReport

__all__ = ["LeakError", "MemoryLeakError", "MemoryLeakWarning"]


class MemoryLeakError(GarboardError, RuntimeError):
    """Tensors, graphs or exports outlived the code that made them."""


class LeakError(MemoryLeakError):
    """A judged block, function or loop leaked; the message is the report.

    Attributes:
        report: The whole `LeakReport`.
        leaks: Its findings, the gravest first.
    """

    def __init__(self, report: LeakReport) -> None:
        super().__init__(f"{report.headline}\n{report}")
        self.report = report
        self.leaks: tuple[Leak, ...] = report.leaks


class MemoryLeakWarning(RuntimeWarning):
    """A loop leaks. No ResourceWarning: Python hides those by default."""
