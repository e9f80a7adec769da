"""Warns of a leak at its line of birth, as of code that stands there."""

from __future__ import annotations

import warnings

from garboard._shown.notebook import shown_file, shown_line
from garboard.leaks._errors import MemoryLeakWarning
from garboard.leaks.findings._leak import Leak

__all__ = ["warn", "warn_at"]


def warn(leak: Leak) -> None:
    """Say what leaks, what holds it and what to change."""
    text = f"{leak.kind}: {leak.figures}; held by {leak.holder}"
    warn_at(leak, f"{text}\n  fix: {leak.fix}  [{leak.fingerprint}]")


def warn_at(leak: Leak, text: str) -> None:
    """Say this at the line of birth."""
    file, line = shown_file(leak.site.file) or "<unknown>", shown_line(*leak.site[:2])
    warnings.warn_explicit(text, MemoryLeakWarning, file, max(line, 1))
